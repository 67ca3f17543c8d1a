// A console (PartiQL or SQL): show what the statement becomes while it is edited, run it, and read on.
"use strict";
(() => {
  const { ask, find, onKey, show } = window.studio;
  const form = find("#form"), problem = find("#problem"), result = find("#result");
  if (!form) return;
  const { explains, runs } = form.dataset;  // the names of the two requests
  let timer = 0, isBusy = false;

  const given = () => ({ statement: find("#statement").value, parameters: find("#parameters")?.value ?? "" });
  const isSame = (sent) => sent.statement === given().statement && sent.parameters === given().parameters;

  function report(message) {
    problem.textContent = message;
    problem.hidden = !message;
  }

  async function explain(added = {}) {
    clearTimeout(timer);
    timer = 0;
    try {
      const sent = given(), answer = await ask(explains, { ...sent, ...added });
      if (isSame(sent)) show(find("#access"), answer.html);
    } catch (failure) { report(failure.message); }
  }

  async function run(added = {}) {
    if (isBusy) return;
    isBusy = true;
    if (timer) explain();
    result.classList.add("busy");
    report("");
    try {
      const sent = given(), answer = await ask(runs, { ...sent, ...added });
      show(result, answer.html);
      if (answer.access) show(find("#access"), answer.access);
      if (answer.history) show(find("#history"), answer.history);
      const query = new URLSearchParams({ s: sent.statement, ...(sent.parameters && { p: sent.parameters }) });
      history.replaceState(null, "", `${location.pathname}?${query}`);
      (find("#confirm") || find("#next"))?.focus();
    } catch (failure) { report(failure.message); }
    result.classList.remove("busy");
    isBusy = false;
  }

  form.addEventListener("input", () => {
    for (const each of ["#confirm", "#next"]) find(each)?.remove();  // they belong to another statement
    clearTimeout(timer);
    timer = setTimeout(explain, 250);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  document.addEventListener("click", (event) => {
    if (event.target.closest("#confirm")) run({ confirmed: true });
    if (event.target.closest("#estimate")) explain({ requested: true });
    const next = event.target.closest("#next");
    if (next) run({ next: next.dataset.next });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  });
  onKey("/", () => { const field = find("#statement"); field.focus(); field.setSelectionRange(field.value.length, field.value.length); });
  onKey("n", () => find("#next")?.click());
})();
