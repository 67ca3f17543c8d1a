// The query console: show the access of the statement while it is edited, run it, and read on.
"use strict";
(() => {
  const { ask, find, onKey, show } = window.studio;
  const form = find("#form"), problem = find("#problem"), result = find("#result");
  let timer = 0, isBusy = false;

  const given = () => ({ statement: find("#statement").value, parameters: find("#parameters").value });

  function report(message) {
    problem.textContent = message;
    problem.hidden = !message;
  }

  async function explain() {
    clearTimeout(timer);
    timer = 0;
    try {
      const sent = given(), answer = await ask("explain", sent);
      if (sent.statement === given().statement) show(find("#access"), answer.html);
    } catch (failure) { report(failure.message); }
  }

  async function run(added = {}) {
    if (isBusy) return;
    isBusy = true;
    if (timer) explain();
    result.classList.add("busy");
    report("");
    try {
      const sent = given(), answer = await ask("query", { ...sent, ...added });
      show(result, answer.html);
      if (answer.history) show(find("#history"), answer.history);
      const query = new URLSearchParams({ s: sent.statement, ...(sent.parameters && { p: sent.parameters }) });
      history.replaceState(null, "", `${location.pathname}?${query}`);
      (find("#confirm") || find("#next"))?.focus();
    } catch (failure) { report(failure.message); }
    result.classList.remove("busy");
    isBusy = false;
  }

  form.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(explain, 250); });
  form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  document.addEventListener("click", (event) => {
    if (event.target.closest("#confirm")) run({ confirmed: true });
    const next = event.target.closest("#next");
    if (next) run({ next: next.dataset.next });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  });
  onKey("/", () => { const field = find("#statement"); field.focus(); field.setSelectionRange(field.value.length, field.value.length); });
  onKey("n", () => find("#next")?.click());
})();
