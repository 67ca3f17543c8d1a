// The editor of an item: stage each change on the server, show what the write does, and write.
"use strict";
(() => {
  const { ask, find, onKey, show } = window.studio;
  const root = find("#items"), form = () => find("#item-form");
  const isBilled = root.dataset.billed === "yes";
  let timer = 0, latest = 0, isWriting = false;

  const values = () => Object.fromEntries(new FormData(form()));
  const mode = () => form()?.dataset.mode;
  const loaded = () => find("#loaded").value;
  const openId = () => form()?.dataset.id ?? "";

  function report(message) {
    const problem = find("#problem");
    if (!problem) { if (message) show(find("#conflict"), ""), find("#conflict").append(message); return; }
    problem.textContent = message;
    problem.hidden = !message;
  }

  function showErrors(errors) {
    for (const field of document.querySelectorAll("[data-field]")) {
      const line = find(":scope > .control > [data-error]", field), message = errors[field.dataset.field] || "";
      line.textContent = message;
      line.hidden = !message;
      field.classList.toggle("invalid", Boolean(message));
    }
  }

  /** Mark the fields that differ from the item as it was read, and show their old value. */
  function markChanges() {
    const stored = JSON.parse(form()?.dataset.stored || "{}");
    if (!Object.keys(stored).length) return;
    for (const field of document.querySelectorAll("[data-field]")) {
      const path = field.dataset.field, line = find(":scope > .control > [data-was]", field);
      const control = find(`:scope > .control > .field[name="${CSS.escape(path)}"]`, field);
      if (!control) continue;
      const now = control.disabled ? null : control.value, old = stored[path];
      const isChanged = now !== old;
      field.classList.toggle("changed", isChanged);
      line.hidden = !isChanged || old === undefined || control.matches("textarea");
      find("del", line).textContent = old === null ? "None" : old === "" ? '""' : old;
      find("[data-undo]", line).setAttribute("aria-label", `Undo the change of ${control.getAttribute("aria-label")}`);
    }
  }

  function undo(button) {
    const field = button.closest("[data-field]"), path = field.dataset.field;
    const control = find(`:scope > .control > .field[name="${CSS.escape(path)}"]`, field);
    const old = JSON.parse(form().dataset.stored)[path], none = find(`[name="${CSS.escape(path)}?"]`, field);
    if (none) none.checked = old === null;
    control.disabled = old === null;
    if (old !== null) control.value = old;
    (old === null ? none : control).focus();
    markChanges();
    stageSoon();
  }

  function showAnswer(answer) {
    if (answer.html) show(find("#effects"), answer.html);
    if (answer.bar) show(find("#write-bar"), answer.bar);
  }

  async function stage(added = {}) {
    const number = ++latest;
    clearTimeout(timer);
    timer = 0;
    root.classList.add("busy");
    try {
      const given = { id: form().dataset.id, entity: form().dataset.entity, loaded: loaded(), mode: mode(), ...added };
      if (mode() === "json") given.json = find("#json-text").value; else given.values = values();
      const answer = await ask("stage", given);
      if (number !== latest) return false;
      report(answer.problem ?? "");
      showErrors(answer.errors);
      showAnswer(answer);
      const hasErrors = Boolean(answer.problem) || Object.keys(answer.errors).length > 0;
      if (!form().dataset.id && !hasErrors) {
        form().dataset.id = answer.id;
        history.replaceState(null, "", `${location.pathname}?id=${encodeURIComponent(answer.id)}`);
        find("#stage").firstChild.textContent = "Staged: change a field to stage it again";
        find("#stage").disabled = true;
      }
      return !hasErrors;
    } catch (failure) {
      if (number === latest) report(failure.message);
      return false;
    } finally {
      if (number === latest) root.classList.remove("busy");
    }
  }

  function stageSoon() {
    if (!form().dataset.id) return;
    clearTimeout(timer);
    timer = setTimeout(stage, 300);
  }

  async function reshape(operation, path) {
    try {
      const answer = await ask("shape", { entity: form().dataset.entity, loaded: loaded(), values: values(), operation, path });
      show(find("#fields"), answer.html);
      markChanges();
      const shaped = find(`[data-field="${CSS.escape(path)}"]`) || find("#fields");
      const last = shaped.querySelector(":scope > .control > .elements > li:last-child .field");
      (last || shaped.querySelector(".field") || shaped.querySelector("button"))?.focus();
      stageSoon();
    } catch (failure) { report(failure.message); }
  }

  async function write() {
    const problem = find("#problem");
    if (form()?.dataset.id && timer && !(await stage())) return;
    const invalid = find(".item-field.invalid .field") || (problem && !problem.hidden && find("#item-form .field"));
    if (invalid) { invalid.focus(); return; }
    if (isWriting || !find("#write") || find("#write").disabled) return;
    isWriting = true;
    root.classList.add("busy");
    try {
      const answer = await ask("write", { revision: Number(find("#write").dataset.revision), open: openId() });
      show(find("#conflict"), answer.conflict || "");
      showAnswer(answer);
      if (answer.written) await reopen(answer.written);
    } catch (failure) {
      show(find("#conflict"), "");
      find("#conflict").append(window.studio.element("section", { class: "notice bad", role: "alert" }, failure.message));
    } finally {
      isWriting = false;
      root.classList.remove("busy");
    }
    find("#outcome").scrollTop = 0;
  }

  /** Show the editor of the stored item again, beside the answer of the write; its key may be new. */
  async function reopen(written) {
    if (!form()) return;
    const id = written.includes(form().dataset.id) ? form().dataset.id : written.length === 1 ? written[0] : "";
    if (!id || isBilled) { find("#editor").inert = true; return; }
    const query = new URLSearchParams({ id, ...(mode() === "json" && { as: "json" }) });
    const page = await fetch(`${location.pathname}?${query}`);
    const next = new DOMParser().parseFromString(window.studio.trusted(await page.text()), "text/html").querySelector("#editor");
    show(find("#editor"), next.innerHTML);
    markChanges();
    history.replaceState(null, "", `${location.pathname}?${query}`);
  }

  async function discard(id) {
    try {
      const answer = await ask("discard", id ? { id, open: openId() } : {});
      if (form() && (!id || id === form().dataset.id)) { location.href = form().dataset.id.startsWith("new:") ? location.pathname : location.href; location.reload(); return; }
      showAnswer(answer);
    } catch (failure) { report(failure.message); }
  }

  async function resolve(button) {
    try {
      await ask("resolve", { id: button.dataset.id, choice: button.dataset.resolve });
      location.reload();
    } catch (failure) { report(failure.message); }
  }

  function choose(next) {
    if (!form() || mode() === next || !find("[data-mode-of]")) return;
    const query = new URLSearchParams(location.search);
    query.set("as", next);
    location.search = query;
  }

  find("#editor").addEventListener("input", (event) => {
    if (!form()?.contains(event.target)) return;
    if (event.target.matches("[type=checkbox][name$='?']")) {
      const field = event.target.closest("[data-field]");
      if (event.target.dataset.shapeSet) {
        reshape(event.target.checked ? "unset" : "set", event.target.dataset.shapeSet);
        return;
      }
      for (const each of field.querySelectorAll(".control .field")) each.disabled = event.target.checked;
    }
    if (find("#stage")) find("#stage").disabled = false;
    markChanges();
    if (!isBilled) stageSoon();
  });
  find("#editor").addEventListener("change", () => { if (isBilled) stageSoon(); });
  find("#editor").addEventListener("submit", (event) => { event.preventDefault(); stage(); });
  document.addEventListener("click", async (event) => {
    const target = event.target.closest("button");
    if (!target) return;
    if (target.dataset.shape) reshape(target.dataset.shape, target.dataset.path);
    if ("undo" in target.dataset) undo(target);
    if (target.dataset.modeOf) choose(target.dataset.modeOf);
    if (target.dataset.discard) discard(target.dataset.discard);
    if (target.dataset.resolve) resolve(target);
    if (target.id === "discard-all") discard("");
    if (target.id === "write") write();
    if (target.id === "delete") await stageDeletion();
    if (target.id === "show-effects") ask("effects", { open: openId() }).then(showAnswer, (failure) => report(failure.message));
    if (target.id === "read") ask("item", { id: target.dataset.id }).then(() => location.reload(), (failure) => report(failure.message));
  });
  async function stageDeletion() {
    if (form() && find("#delete") && (await stage({ delete: true }))) {
      find("#delete").textContent = "Deletion staged";
      find("#delete").disabled = true;
    }
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); write(); }
  });
  onKey("e", () => find("#item-form .field:not([disabled])")?.focus());
  onKey("/", () => find("#item-form .field:not([disabled])")?.focus());
  onKey("r", () => choose(mode() === "json" ? "fields" : "json"));
  onKey("u", () => { if (form()?.dataset.id) discard(form().dataset.id); });
  onKey("x", stageDeletion);
  markChanges();
})();
