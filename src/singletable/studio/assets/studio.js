// What every screen shares: requests to the studio, the running total, the version of the model, and keys.
"use strict";
(() => {
  const body = document.body.dataset;
  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("studio", { createHTML: (text) => text })
    : { createHTML: (text) => text };
  const find = (selector, root = document) => root.querySelector(selector);

  /** Create an element; children are elements or texts, so that no text of an item becomes HTML. */
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  /** Show HTML that the server has rendered and escaped. */
  function show(target, html) {
    target.innerHTML = policy.createHTML(html);
  }

  class Failure extends Error {}

  const exported = window.studioAnswers;
  /** Answer a request from the file of an export. */
  function answerFrom(question, document_) {
    if (question === "heat") return { html: exported.heat };
    if (question === "item" && exported.items[document_.id]) return exported.items[document_.id];
    if (question === "column" && !document_.search) {
      const partition = document_.partition && JSON.stringify(document_.partition);
      const rows = exported.columns[document_.place].filter((row) => !partition || row.k === partition);
      return { rows, next: null, skip: null, examined: rows.length, isCut: exported.cut.includes(document_.place) };
    }
    throw new Failure("These pages are a copy, which does not contain this. Start the studio to see it.");
  }

  /** Send a request of this page; throws Failure with a message for the user. */
  async function ask(question, document_) {
    if (exported) return answerFrom(question, document_);
    let response;
    try {
      response = await fetch(`/${encodeURIComponent(body.table)}/ask/${question}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Studio-Write": body.write },
        body: JSON.stringify(document_),
      });
    } catch {
      setAway(true);
      throw new Failure("The studio does not respond. Start it again in the terminal, then open its new link.");
    }
    if (!response.headers.get("content-type")?.includes("json")) throw new Failure(await response.text());
    const answer = await response.json();
    if (answer.total) find("#total").textContent = answer.total;
    if (answer.error) throw new Failure(answer.error);
    return answer;
  }

  let away = false;
  function setAway(value) {
    if (value === away) return;
    away = value;
    find("#away")?.remove();
    if (!value) return;
    const text = "The page stays as it is. Start the studio again in the terminal, then open its new link.";
    find("#banners").prepend(element("section", { class: "notice bad", id: "away", role: "alert" },
      element("h2", {}, "The studio does not respond"), element("p", {}, text)));
  }

  let changed = false;
  function announceChange() {
    if (changed) return;
    changed = true;
    const isEditing = document.activeElement?.matches("input, textarea") && document.activeElement.value !== document.activeElement.defaultValue;
    if (!isEditing) { location.reload(); return; }
    const reload = element("button", { class: "button", type: "button" }, "Show it");
    reload.addEventListener("click", () => location.reload());
    find("#banners").append(element("section", { class: "notice warn", role: "status" },
      element("h2", {}, "The model has changed"), element("p", {}, "This page shows the version before. "), reload));
  }

  async function pulse() {
    if (document.hidden || changed) return;
    try {
      const response = await fetch("/pulse");
      if (!response.ok) { setAway(true); return; }
      const found = await response.json();
      setAway(false);
      find("#total").textContent = found.total;
      if (String(found.changes) !== body.changes) announceChange();
    } catch {
      setAway(true);
    }
  }

  const isTyping = (target) => target instanceof Element && target.matches("input, textarea, select");
  const keys = new Map();
  /** Run a function when a key is pressed outside of a field. */
  function onKey(key, action) { keys.set(key, action); }

  let isGoing = false;
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isTyping(event.target)) { event.target.blur(); return; }
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) return;
    const screen = isGoing && /^[a-z]$/.test(event.key) && find(`.screens [data-key=${event.key}]`);
    if (screen) {
      screen.click();
      event.preventDefault();
    } else if (event.key === "?") {
      find("#help").showModal();
    } else if (keys.has(event.key)) {
      if (keys.get(event.key)(event) !== false) event.preventDefault();
    }
    isGoing = event.key === "g";
  });

  find("#help-button").addEventListener("click", () => find("#help").showModal());
  find("#table-choice")?.addEventListener("change", (event) => { location.href = event.target.value; });
  if (exported) document.querySelectorAll("main form").forEach((form) => { form.inert = true; });
  else setInterval(pulse, 1000);
  window.studio = { isExported: Boolean(exported), trusted: (text) => policy.createHTML(text), ask, element, find, isTyping, onKey, show, table: body.table, Failure };
})();
