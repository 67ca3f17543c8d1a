// A pattern: run it, read on, switch between snippets, copy, and move between patterns.
"use strict";
(() => {
  const { ask, find, onKey, show } = window.studio;
  const form = find("#form"), result = find("#result"), problem = find("#problem");
  let isBusy = false;

  const values = () => Object.fromEntries(new FormData(form));

  function remember() {
    const query = new URLSearchParams(Object.entries(values()).filter(([, value]) => value && !value.includes("\n")));
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
  }

  async function send(question, added = {}) {
    if (isBusy || !form) return;
    isBusy = true;
    result.classList.add("busy");
    problem.hidden = true;
    try {
      const answer = await ask(question, { pattern: form.dataset.pattern, values: values(), ...added });
      show(result, answer.html);
      sizeBrackets();
    } catch (failure) {
      problem.textContent = failure.message;
      problem.hidden = false;
    }
    result.classList.remove("busy");
    isBusy = false;
  }

  /** A bracket is as high as its rows. */
  function sizeBrackets() {
    for (const bracket of document.querySelectorAll("[data-rows]")) bracket.style.flex = `${bracket.dataset.rows} 0 ${26 * bracket.dataset.rows}px`;
  }

  const isWrite = form?.dataset.write === "yes";
  const run = async () => { if (window.studio.isExported) return; remember(); await send(isWrite ? "plan" : "run"); };
  async function next() {
    if (!find("#next:enabled")) return;
    await send("run", { next: true });
    find(".page-line:last-of-type")?.scrollIntoView({ block: "nearest" });
    (find("#next:enabled") || find("#previous"))?.focus();
  }

  async function previous() {
    if (!find("#previous:enabled")) return;
    await send("run", { previous: true });
    (find("#previous:enabled") || find("#next"))?.focus();
  }

  function choose(tab) {
    const tabs = tab.closest("[data-tabs]");
    for (const each of tabs.querySelectorAll("[role=tab]")) {
      const isChosen = each === tab;
      each.setAttribute("aria-selected", String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
      find(`#${each.getAttribute("aria-controls")}`).hidden = !isChosen;
    }
  }

  async function copy() {
    const shown = find(".snippets pre:not([hidden])"), button = find("[data-copy]");
    if (!shown) return;
    await navigator.clipboard.writeText(shown.textContent);
    button.firstChild.textContent = "Copied ";
    setTimeout(() => { button.firstChild.textContent = "Copy "; }, 1500);
  }

  function showAnswer(kind) {
    for (const button of document.querySelectorAll("[data-answer]")) button.setAttribute("aria-pressed", String(button.dataset.answer === kind));
    for (const view of document.querySelectorAll("[data-view]")) view.hidden = view.dataset.view !== kind;
  }

  function movePattern(step) {
    const links = [...document.querySelectorAll("#list a")];
    const place = links.findIndex((link) => link.hasAttribute("aria-current")) + step;
    if (links[place]) location.href = links[place].href;
  }

  form?.addEventListener("submit", (event) => { event.preventDefault(); run(); });
  document.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) choose(tab);
    if (event.target.closest("[data-copy]")) copy();
    if (event.target.closest("#next")) next();
    if (event.target.closest("#previous")) previous();
    if (event.target.closest("#write")) send("run");
    const answer = event.target.closest("[data-answer]");
    if (answer) showAnswer(answer.dataset.answer);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
    const tab = event.target.closest?.("[role=tab]");
    if (tab && (event.key === "ArrowRight" || event.key === "ArrowLeft")) {
      const tabs = [...tab.parentElement.querySelectorAll("[role=tab]")];
      const following = tabs[(tabs.indexOf(tab) + (event.key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
      choose(following);
      following.focus();
    }
  });
  onKey("/", () => find("#form .field")?.focus());
  onKey("n", next);
  onKey("p", previous);
  onKey("j", () => movePattern(1));
  onKey("k", () => movePattern(-1));
  onKey("y", copy);
  find("#list a[aria-current]")?.scrollIntoView({ block: "nearest" });
  sizeBrackets();
  if (form?.hasAttribute("data-run")) run();
})();
