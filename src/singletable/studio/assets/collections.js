// The collections screen: the same item in every column, search, filters and the selected item.
"use strict";
(() => {
  const { ask, element, find, isExported, onKey, show, Column, keyNodes } = window.studio;
  const state = JSON.parse(find("#state").textContent);
  const parameters = new URLSearchParams(location.search);
  const host = {
    hidden: new Set(), isDecoded: parameters.get("keys") === "decoded", isBilled: state.isBilled, selected: null,
    refocus: false, onRead, onScroll: () => requestAnimationFrame(drawThread), showAbsent,
  };
  const columns = [...document.querySelectorAll(".column")].map((section) => new Column(section, host));
  const facts = new Map(state.columns.map((column) => [column.place, column]));
  let item = null, active = columns[0];
  const ordinal = (number) => {
    const suffix = number % 100 > 10 && number % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th";
    return `${number}${suffix}`;
  };
  const title = (place) => (place === "table" ? "the table" : place);

  function remember() {
    if (isExported) return;  // a page on disk cannot change its address
    const query = new URLSearchParams();
    if (find("#search").value) query.set("q", find("#search").value);
    if (host.isDecoded) query.set("keys", "decoded");
    if (host.selected) query.set("item", host.selected);
    history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
  }

  function onRead(column) {
    const { counts } = columns[0];
    for (const button of document.querySelectorAll("[data-entity]")) {
      const number = counts.get(Number(button.dataset.entity)) ?? 0;
      button.querySelector(".number").textContent = columns[0].isStarted ? number.toLocaleString("en") : "";
      if (Number(button.dataset.entity) < 0) button.hidden = !number;
    }
    if (!host.selected && !item && !state.isBilled && column === columns[0] && column.rowCount) select(column.neighbour(null, 1).id, column, false);
    showPresence();
  }

  function showAbsent(column) {
    const { absent, alias, place } = facts.get(column.place);
    if (place === "table" || !absent.length) return;
    const pills = absent.map(({ entity, label }) => element("span", { class: `pill hue-${entity % 8}` }, label));
    const reason = absent.length === 1 ? "This entity declares" : "These entities declare";
    column.tail.append(element("div", { class: "empty" }, element("b", {}, `Not in ${place}`),
      element("div", { class: "absent-list" }, ...pills),
      element("p", {}, `${reason} no `, element("code", {}, `${alias}=`), ", so the index neither stores nor bills these items.")));
  }

  /** Select an item: mark it in every column, and describe it below. */
  async function select(id, column, isFocused = true) {
    host.selected = id;
    active = column;
    item = item?.id === id ? item : null;
    mark(isFocused);
    remember();
    try {
      const found = await ask("item", { id });
      if (host.selected !== id) return;
      item = found;
      show(find("#dock"), found.html);
    } catch (problem) {
      if (host.selected !== id) return;
      find("#dock").replaceChildren(element("p", { class: "problem" }, problem.message));
    }
    mark(false);
  }

  function mark(isFocused) {
    for (const column of columns) {
      const found = host.selected && column.locate(host.selected);
      if (found) column.reveal(found);
      for (const row of column.stack.querySelectorAll(".row[data-id]")) {
        const isSelected = row.dataset.id === host.selected;
        row.classList.toggle("selected", isSelected);
        row.tabIndex = isSelected ? 0 : -1;
        if (isSelected) row.setAttribute("aria-current", "true"); else row.removeAttribute("aria-current");
      }
      if (found && isFocused && column === active) column.node(host.selected)?.focus({ preventScroll: true });
    }
    showPresence();
  }

  function showPresence() {
    for (const column of columns) {
      const line = column.section.querySelector("[data-presence]");
      line.className = "presence";
      line.replaceChildren();
      const place = item?.places.find((each) => each.place === column.place);
      if (!place) { if (isNarrowed(column)) line.append(element("span", {}, "Search result")); continue; }
      const name = element("b", {}, item.name);
      const found = column.locate(item.id);
      const ring = element("span", { class: "ring" });
      if (place.reason) {
        line.classList.add("absent");
        line.append(ring, element("span", { title: place.reason }, name, ` is not in ${title(column.place)}: ${place.reason}`));
      } else if (found) {
        const all = found.drawer.rows, number = all.findIndex((row) => row.id === item.id) + 1;
        const where = !column.isComplete(found.drawer) ? " is in " : all.length === 1 ? " is alone in " : ` is ${ordinal(number)} of ${all.length} in `;
        line.append(ring, element("span", {}, name, where, element("code", {}, ...keyNodes(place.p))));
      } else {
        line.classList.add("unread");
        const button = element("button", { type: "button", title: "Query this partition" }, "Show");
        button.addEventListener("click", () => showIn(column, place));
        line.append(ring, element("span", {}, name, " is in ", element("code", {}, ...keyNodes(place.p))), column.isStarted || state.isBilled ? button : null);
      }
    }
    drawThread();
  }

  async function showIn(column, place) {
    const id = host.selected;
    column.reset({ partition: JSON.parse(place.k), sort: place.s.map(([text]) => text).join("") });
    showReset();
    await column.readPage();
    if (host.selected === id) mark(false);
  }

  /** Draw the thread that joins the item in all columns. */
  function drawThread() {
    const svg = find("#thread"), box = find("#columns").getBoundingClientRect();
    const made = [];
    const shape = (tag, attributes) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
      made.push(node);
    };
    let previous = null;
    for (const column of columns) {
      const row = host.selected ? column.node(host.selected) : null;
      const view = column.scroll.getBoundingClientRect();
      const at = row?.getBoundingClientRect();
      if (!at || at.bottom < view.top + 4 || at.top > view.bottom - 4) continue;
      const drawer = row.closest(".drawer").getBoundingClientRect();
      const y = at.top + at.height / 2 - box.top, left = drawer.left - box.left, right = drawer.right - box.left;
      if (previous) {
        const middle = (previous.x + left) / 2;
        shape("path", { d: `M${previous.x} ${previous.y} C${middle} ${previous.y} ${middle} ${y} ${left} ${y}` });
        shape("circle", { cx: previous.x, cy: previous.y, r: 2.5 });
        shape("circle", { cx: left, cy: y, r: 2.5 });
      }
      previous = { x: right, y };
    }
    svg.replaceChildren(...made);
  }

  function showMessage(text, isBad, hasReset) {
    const line = find("#message");
    line.hidden = !text;
    line.className = `message-line${isBad ? " bad" : ""}`;
    line.replaceChildren(element("span", {}, text));
    if (hasReset) {
      const button = element("button", { type: "button" }, "Show everything again");
      button.addEventListener("click", () => { find("#search").value = ""; startAll(); });
      line.append(button);
    }
  }

  const showReset = () => showMessage("Some columns show one partition only.", false, true);

  const isNarrowed = (column) => Boolean(column.position.partition || column.position.search);

  async function search() {
    const text = find("#search").value.trim();
    if (!text) { startAll(); return; }
    try {
      const meaning = await ask("find", { text });
      host.selected = item = null;
      if (meaning.search) {
        for (const column of columns.slice(1)) if (isNarrowed(column)) column.reset({});
        columns[0].reset({ search: meaning.search });
        showMessage(`Items whose ${meaning.search.field} starts with or equals “${meaning.search.text}”, by a Scan with a filter: it reads every item.`, false, true);
        const others = state.isBilled ? [] : columns.slice(1).filter((column) => !column.isStarted);
        await Promise.all([columns[0], ...others].map((column) => column.readPage()));
      } else {
        const places = meaning.places.map((each) => title(each.place)).join(" and ");
        const wanted = new Map(meaning.places.map(({ place, partition, sort }) => [place, { partition, sort }]));
        for (const column of columns) if (wanted.has(column.place) || isNarrowed(column)) column.reset(wanted.get(column.place) ?? {});
        showMessage(`One partition of ${places}, by a Query.`, false, true);
        const chosen = columns.filter((column) => wanted.has(column.place));
        const others = state.isBilled ? [] : columns.filter((column) => !column.isStarted);
        await Promise.all([...new Set([...chosen, ...others])].map((column) => column.readPage()));
        const first = chosen.find((column) => column.rowCount);
        if (first) select(first.drawers[0].rows[0].id, first, false);
      }
      remember();
    } catch (problem) {
      showMessage(problem.message, true, false);
    }
  }

  async function startAll() {
    showMessage("", false, false);
    host.selected = item = null;
    for (const column of columns) if (isNarrowed(column) || !column.isStarted) column.reset({});
    remember();
    if (!state.isBilled) await Promise.all(columns.filter((column) => !column.isStarted).map((column) => column.readPage()));
  }

  function redraw() { for (const column of columns) column.layout(); mark(host.refocus); host.refocus = false; }

  function setDecoded(isDecoded) {
    host.isDecoded = isDecoded;
    for (const button of document.querySelectorAll("[data-keys]")) button.setAttribute("aria-pressed", String((button.dataset.keys === "decoded") === isDecoded));
    redraw();
    remember();
  }

  function toggle(button) {
    const number = Number(button.dataset.entity);
    if (!host.hidden.delete(number)) host.hidden.add(number);
    button.setAttribute("aria-pressed", String(!host.hidden.has(number)));
    redraw();
  }

  function move(step) {
    const next = active.neighbour(host.selected, step);
    if (next) select(next.id, active);
    return Boolean(next);
  }

  function moveAcross(step) {
    const place = columns.indexOf(active) + step;
    const column = columns[place];
    if (!column) return;
    if (host.selected && column.locate(host.selected)) { active = column; mark(true); return; }
    const first = column.neighbour(null, 1);
    if (first && !host.selected) select(first.id, column);
    else if (columns[place + step]) { active = column; moveAcross(step); }
  }

  document.addEventListener("click", (event) => {
    const row = event.target.closest(".row[data-id]");
    if (row) select(row.dataset.id, columns.find((column) => column.section.contains(row)));
    const entity = event.target.closest("[data-entity]");
    if (entity) toggle(entity);
    const keys = event.target.closest("[data-keys]");
    if (keys) setDecoded(keys.dataset.keys === "decoded");
  });
  find("#find").addEventListener("submit", (event) => { event.preventDefault(); find("#search").blur(); search(); });
  if (!isExported) onKey("/", () => { find("#search").focus(); find("#search").select(); });
  if (!isExported) onKey("e", () => find("#edit")?.click());
  onKey("d", () => setDecoded(!host.isDecoded));
  onKey("ArrowDown", () => move(1));
  onKey("ArrowUp", () => move(-1));
  onKey("ArrowRight", () => moveAcross(1));
  onKey("ArrowLeft", () => moveAcross(-1));
  onKey("s", () => document.querySelectorAll("[data-presence] button").forEach((button) => button.click()));
  for (let number = 1; number <= 9; number++) onKey(String(number), () => { const button = find(`[data-entity="${number - 1}"]`); if (button) toggle(button); });
  addEventListener("resize", redraw);

  const first = parameters.get("item");
  if (first) { host.selected = first; }
  if (host.isDecoded) setDecoded(true);
  if (state.q) find("#search").value = state.q;
  if (state.q) {
    if (!state.isBilled) columns.forEach((column) => column.place !== "table" && column.readPage());
    search();
  } else if (!state.isBilled) {
    Promise.all(columns.map((column) => column.readPage())).then(() => { if (first) select(first, columns[0], false); });
  } else {
    columns.forEach((column) => column.layout());
    if (first) select(first, columns[0], false);
  }
  if (parameters.has("find")) find("#search").focus();
  window.studio.columns = columns;
})();
