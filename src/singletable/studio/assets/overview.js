// The overview: heat is simulated after the page is shown, and an exact count shows its price first.
"use strict";
(() => {
  const { ask, find, isExported, onKey, show } = window.studio;
  const lines = find("#heat-lines");
  ask("heat", {}).then((answer) => show(lines, answer.html)).catch((problem) => { lines.textContent = problem.message; });

  if (!isExported) onKey("/", () => { location.href = `${find(".screens [data-id=collections]").href}?find`; });

  const counting = find("#counting");
  if (counting) ask("sample", {}).then(() => location.reload(), (problem) => { counting.textContent = problem.message; });

  const button = find("#count");
  const price = find("#count-price");
  let isPriced = false;
  button?.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const answer = await ask("count", { confirmed: isPriced });
      if (isPriced) { location.reload(); return; }
      price.textContent = answer.price;
      button.textContent = "Read all items";
      isPriced = true;
    } catch (problem) {
      price.textContent = problem.message;
    }
    button.disabled = false;
    button.focus();
  });
})();
