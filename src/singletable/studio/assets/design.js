// The pages of a design: measure the patterns, read the state of a migration, and move between the parts.
"use strict";
(() => {
  const { ask, element, find, onKey, show } = window.studio;

  async function fill(question, target, button) {
    button.disabled = true;
    try {
      show(target, (await ask(question, {})).html);
    } catch (failure) {
      target.append(element("p", { class: "problem-line", role: "alert" }, failure.message));
    }
    button.disabled = false;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.id === "measure") fill("measure", find("#measured"), button);
    if (button?.id === "show-migration") fill("migration", find("#migration"), button);
  });

  function movePart(step) {
    const links = [...document.querySelectorAll("#list ul:first-of-type a")];
    const place = links.findIndex((link) => link.hasAttribute("aria-current")) + step;
    if (links[place]) location.href = links[place].href;
  }

  onKey("j", () => movePart(1));
  onKey("k", () => movePart(-1));
  onKey("/", () => find(".design-page .field")?.focus());
})();
