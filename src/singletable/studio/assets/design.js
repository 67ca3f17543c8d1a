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

  /** Read the progress of an open migration again, as long as the page is visible; on AWS only on request. */
  async function follow() {
    const target = find("#migration");
    if (!target || !find("[data-open]", target) || window.studio.isExported || find("main").dataset.billed) return;
    if (!document.hidden) {
      try {
        const answer = await ask("migration", {});
        if (answer.html !== target.dataset.last) show(target, answer.html);
        target.dataset.last = answer.html;
        if (!answer.isOpen) return;
      } catch { /* the banner of the page says that the studio does not respond */ }
    }
    setTimeout(follow, 2000);
  }
  setTimeout(follow, 2000);

  function movePart(step) {
    const links = [...document.querySelectorAll("#list ul:first-of-type a")];
    const place = links.findIndex((link) => link.hasAttribute("aria-current")) + step;
    if (links[place]) location.href = links[place].href;
  }

  onKey("j", () => movePart(1));
  onKey("k", () => movePart(-1));
  onKey("/", () => find(".design-page .field")?.focus());
})();
