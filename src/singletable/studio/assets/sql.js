// The SQL console: show what the statement reads while it is edited, and run it.
"use strict";
(() => {
  const { ask, find, onKey, show } = window.studio;
  const form = find("#form"), problem = find("#problem"), result = find("#result");
  if (!form) return;
  let timer = 0, isBusy = false;

  const statement = () => find("#statement").value;

  function report(message) {
    problem.textContent = message;
    problem.hidden = !message;
  }

  async function explain(added = {}) {
    clearTimeout(timer);
    timer = 0;
    try {
      const sent = statement(), answer = await ask("reads", { statement: sent, ...added });
      if (sent === statement()) show(find("#reads"), answer.html);
    } catch (failure) { report(failure.message); }
  }

  async function run(added = {}) {
    if (isBusy) return;
    isBusy = true;
    if (timer) explain();
    result.classList.add("busy");
    report("");
    try {
      const sent = statement(), answer = await ask("select", { statement: sent, ...added });
      show(result, answer.html);
      if (answer.reads) show(find("#reads"), answer.reads);
      if (answer.history) show(find("#history"), answer.history);
      history.replaceState(null, "", `${location.pathname}?${new URLSearchParams({ s: sent })}`);
      find("#confirm")?.focus();
    } catch (failure) { report(failure.message); }
    result.classList.remove("busy");
    isBusy = false;
  }

  form.addEventListener("input", () => {
    find("#confirm")?.remove();  // the confirmation was about another statement
    clearTimeout(timer);
    timer = setTimeout(explain, 250);
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  document.addEventListener("click", (event) => {
    if (event.target.closest("#confirm")) run({ confirmed: true });
    if (event.target.closest("#estimate")) explain({ requested: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  });
  onKey("/", () => { const field = find("#statement"); field.focus(); field.setSelectionRange(field.value.length, field.value.length); });
})();
