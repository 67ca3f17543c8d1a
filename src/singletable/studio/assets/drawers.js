// One column of drawers: reads pages on demand, and keeps only the visible rows in the document.
"use strict";
(() => {
  const { ask, element } = window.studio;
  const ROW = 26, GAP = 7, LINE = 17, COUNT = 15, STACKED_LABEL = 24, CELL = 7.3, OVERSCAN = 260, TALL = 320;
  const BAR = 14, SPACE = 24, FIELD_CELL = 5.9, VALUE_CELL = 7, PILL_CELL = 6.6, TAIL_CELLS_MAX = 18;
  const stacked = matchMedia("(max-width: 1100px)");
  const inUnits = (size) => size.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const bytes = (size) => (size < 1024 ? `${size.toLocaleString("en")} B` : size < 1048576 ? `${inUnits(size / 1024)} KB` : `${inUnits(size / 1048576)} MB`);
  const plain = (texts) => texts.map(([text]) => text).join("");

  /** Return key pieces as elements: literals are muted. */
  function keyNodes(texts) {
    return texts.map(([text, field]) => (field ? document.createTextNode(text) : element("span", { class: "literal" }, text)));
  }

  /** Return the key of the table of an item, for an index without a sort key. */
  const tableKey = (row) => Object.values(JSON.parse(row.id)).map((value) => Object.values(value)[0]).join(" / ");

  /** Return a sort key whose end stays visible if its middle must be cut off. */
  function sortNodes(texts) {
    const last = texts.length - 1;
    if (last < 1 || plain(texts).length <= TAIL_CELLS_MAX || texts[last][0].length > TAIL_CELLS_MAX) return keyNodes(texts);
    const [before, field] = texts[last - 1];
    const isLiteral = !field, fits = before.length + texts[last][0].length <= TAIL_CELLS_MAX;
    const cut = !isLiteral ? before.length : fits ? 0 : Math.max(0, before.length - 1);
    const head = [...texts.slice(0, last - 1), [before.slice(0, cut), field]], tail = [[before.slice(cut), field], texts[last]];
    return [element("span", { class: "head" }, ...keyNodes(head)), element("span", { class: "end-of-key" }, ...keyNodes(tail))];
  }

  /** Return the width that a row needs to show its sort key and the name of its entity. */
  function rowWidth(row, isDecoded) {
    const fields = row.s.filter(([, field]) => field);
    const decoded = fields.reduce((sum, [text, field, value]) => sum + field.length * FIELD_CELL + (value || text).length * VALUE_CELL + BAR, 0);
    const key = isDecoded && fields.length ? decoded : plain(row.s).length * CELL;
    return BAR + key + SPACE + row.l.length * PILL_CELL + SPACE / 2;
  }

  /** Split a key into lines of at most `cells` characters, after a delimiter if possible. */
  function keyLines(texts, cells) {
    const lines = [[]];
    let used = 0;
    for (const [text, field] of texts) {
      for (const piece of text.match(/[^#]*#|[^#]+$/g) ?? []) {
        for (let rest = piece; rest; ) {
          if (used && used + rest.length > cells && (used >= cells || piece.length <= cells)) { lines.push([]); used = 0; }
          const part = rest.slice(0, cells - used);
          lines.at(-1).push([part, field]);
          used += part.length;
          rest = rest.slice(part.length);
          if (rest) { lines.push([]); used = 0; }
        }
      }
    }
    return lines.slice(0, 4);
  }

  class Column {
    constructor(section, host) {
      this.place = section.dataset.place;
      this.host = host;
      this.section = section;
      this.scroll = section.querySelector("[data-scroll]");
      this.stack = section.querySelector("[data-stack]");
      this.tail = section.querySelector("[data-tail]");
      this.read = section.querySelector("[data-read]");
      this.nodes = new Map();
      this.labelCells = 0;
      this.isStacked = stacked.matches;
      this.reset({});
      this.scroll.addEventListener("scroll", () => { this.draw(); host.onScroll(); this.readIfNear(); }, { passive: true });
    }

    /** Start again at another position: the whole column, a partition, or a search. */
    reset(position) {
      this.position = position;
      this.drawers = [];
      this.byId = new Map();
      this.counts = new Map();
      this.rowCount = this.openDrawers = 0;
      this.next = null;
      this.isStarted = this.isReading = this.isFinished = false;
      this.examined = 0;
      this.problem = "";
      this.generation = (this.generation ?? 0) + 1;
      for (const node of this.nodes.values()) node.remove();
      this.nodes.clear();
      this.scroll.scrollTop = 0;
      this.layoutOf = "";
      this.layout();
    }

    /** Read the next page; `drawer` continues a large partition instead. */
    async readPage(drawer = null) {
      if (this.isReading || (!drawer && this.isFinished)) return;
      this.isReading = true;
      this.problem = "";
      this.showTail();
      const generation = this.generation, before = Math.max(0, this.drawers.length - 1);
      const start = drawer ? drawer.more : this.next;
      const partition = drawer ? JSON.parse(drawer.key) : this.position.partition;
      try {
        const page = await ask("column", { place: this.place, ...this.position, partition, start });
        if (generation !== this.generation) return;
        this.isStarted = true;
        this.examined += page.examined;
        if (drawer) this.extend(drawer, page); else this.append(page);
      } catch (problem) {
        if (generation !== this.generation) return;
        this.problem = problem.message;
      }
      this.isReading = false;
      this.layout(drawer ? this.drawers.indexOf(drawer) : before);
      this.host.onRead(this);
      this.readIfNear();
    }

    append(page) {
      for (const row of page.rows) this.add(row);
      const last = this.drawers.at(-1);
      if (page.skip && last) this.setMore(last, page.next);
      this.next = page.skip ?? page.next;
      this.isFinished = this.next === null;
      this.isCut = Boolean(page.isCut);
    }

    add(row) {
      let last = this.drawers.at(-1);
      if (last?.key !== row.k) {
        last = { key: row.k, texts: row.p, rows: [], more: null, bytes: 0 };
        this.drawers.push(last);
      }
      this.addTo(last, row);
    }

    addTo(drawer, row) {
      drawer.rows.push(row);
      drawer.bytes += row.b;
      this.byId.set(row.id, drawer);
      this.counts.set(row.e, (this.counts.get(row.e) ?? 0) + 1);
      this.rowCount += 1;
    }

    extend(drawer, page) {
      for (const row of page.rows) this.addTo(drawer, row);
      this.setMore(drawer, page.next);
    }

    setMore(drawer, next) {
      this.openDrawers += Boolean(next) - Boolean(drawer.more);
      drawer.more = next;
    }

    /** Read on when the end of the rows that were read is near; on a store that costs money, only on request. */
    readIfNear() {
      if (this.host.isBilled || !this.isStarted || this.isReading || this.isFinished || this.problem || this.position.search) return;
      const left = this.stack.offsetHeight - this.scroll.scrollTop - this.scroll.clientHeight;
      if (left < 2 * this.scroll.clientHeight) this.readPage();
    }

    /** Choose the width of the labels, or labels above the rows, from the first page; rows that are read later keep it. */
    measure() {
      const width = this.stack.clientWidth, of = `${width} ${this.host.isDecoded}`;
      if (this.layoutOf === of || !this.drawers.length) return false;
      this.layoutOf = of;
      const first = this.drawers.slice(0, 60);
      const longest = Math.max(12, ...first.map((drawer) => plain(drawer.texts).length));
      const most = Math.max(12, Math.floor((width * 0.36 - 20) / CELL));
      this.labelCells = Math.min(longest, most, 26);
      const label = Math.ceil(this.labelCells * CELL) + 20;
      const needed = Math.max(...first.map((drawer) => Math.max(...drawer.rows.slice(0, 100).map((row) => rowWidth(row, this.host.isDecoded)))));
      this.isStacked = stacked.matches || needed > width - label;
      this.section.classList.toggle("stacked", this.isStacked);
      this.section.style.setProperty("--label-width", `${label}px`);
      return true;
    }

    /** Compute the position of every drawer, or of those from a number on if the others have not changed. */
    layout(from = 0) {
      const start = this.measure() ? 0 : from;
      const previous = this.drawers[start - 1];
      let top = previous ? previous.top + (previous.height ? previous.height + GAP : 0) : 0;
      const isFiltered = this.host.hidden.size > 0;
      for (const drawer of start ? this.drawers.slice(start) : this.drawers) {
        drawer.shown = isFiltered ? drawer.rows.filter((row) => !this.host.hidden.has(row.e)) : drawer.rows;
        drawer.top = top;
        drawer.height = 0;
        if (!drawer.shown.length) continue;
        const rows = (drawer.shown.length + (drawer.more ? 1 : 0)) * ROW;
        drawer.lines = this.host.isDecoded ? null : keyLines(drawer.texts, this.isStacked ? 400 : this.labelCells);
        const lines = drawer.lines?.length ?? Math.max(1, drawer.texts.filter(([, field]) => field).length);
        const label = lines * LINE + (drawer.rows.length > 1 ? COUNT : 0) + 10;
        drawer.height = (this.isStacked ? STACKED_LABEL + rows : Math.max(rows, label)) + 2;
        top += drawer.height + GAP;
      }
      this.height = top;
      this.stack.style.height = `${top}px`;
      this.showTail();
      this.draw(start);
    }

    /** Update the document: only drawers and rows near the visible part exist. */
    draw(firstFresh = Infinity) {
      const from = this.scroll.scrollTop - OVERSCAN, to = this.scroll.scrollTop + this.scroll.clientHeight + OVERSCAN;
      const visible = new Set();
      for (let number = this.firstAfter(from); number < this.drawers.length; number++) {
        const drawer = this.drawers[number];
        if (drawer.top > to) break;
        if (!drawer.height) continue;
        visible.add(drawer);
        this.drawDrawer(drawer, from, to, number >= firstFresh);
      }
      for (const [drawer, node] of this.nodes) {
        if (!visible.has(drawer)) { node.remove(); this.nodes.delete(drawer); }
      }
      const units = this.drawers.length;
      const isAll = this.isFinished && !this.openDrawers && !this.isCut;
      const what = `${this.rowCount.toLocaleString("en")} ${isAll ? (this.rowCount === 1 ? "item" : "items") : "read"}`;
      this.read.textContent = this.isStarted ? `${what}, ${units.toLocaleString("en")} ${units === 1 ? "partition" : "partitions"}` : "";
    }

    firstAfter(top) {
      let low = 0, high = this.drawers.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.drawers[middle].top + this.drawers[middle].height < top) low = middle + 1; else high = middle;
      }
      return low;
    }

    drawDrawer(drawer, from, to, isFresh) {
      let node = this.nodes.get(drawer);
      if (isFresh && node) { if (node.contains(document.activeElement)) this.host.refocus = true; node.remove(); node = null; }
      if (!node) {
        node = element("div", { class: drawer.height > TALL ? "drawer tall" : "drawer" }, this.label(drawer), element("div", { class: "rows" }));
        node.style.top = `${drawer.top}px`;
        node.style.height = `${drawer.height}px`;
        node.rowNodes = new Map();
        this.nodes.set(drawer, node);
        this.stack.append(node);
      }
      const offset = drawer.top + (this.isStacked ? STACKED_LABEL : 0);
      const rows = node.lastChild;
      const count = drawer.shown.length + (drawer.more ? 1 : 0);
      const height = this.isStacked ? ROW : Math.max(ROW, (drawer.height - 2) / count);
      const first = Math.max(0, Math.floor((from - offset) / height)), last = Math.min(count, Math.ceil((to - offset) / height));
      for (const [number, row] of node.rowNodes) if (number < first || number >= last) { row.remove(); node.rowNodes.delete(number); }
      for (let number = first; number < last; number++) {
        if (node.rowNodes.has(number)) continue;
        const made = number < drawer.shown.length ? this.row(drawer.shown[number]) : this.moreRow(drawer);
        made.style.top = `${number * height}px`;
        made.style.height = `${height}px`;
        node.rowNodes.set(number, made);
        rows.append(made);
      }
    }

    label(drawer) {
      const isConstant = drawer.texts.every(([, field]) => !field);
      const key = element("div", { class: isConstant ? "key constant" : "key", title: plain(drawer.texts) });
      if (this.host.isDecoded) {
        const fields = drawer.texts.filter(([, field]) => field);
        for (const [text, field, value] of fields) key.append(element("div", {}, element("em", {}, field), value || text));
        if (!fields.length) key.append(element("em", {}, "constant"), plain(drawer.texts));
      } else {
        for (const line of drawer.lines) key.append(element("div", {}, ...keyNodes(line)));
      }
      const size = drawer.bytes;
      const percent = (size / 1048576) * 100, page = percent >= 1 ? `, ${percent.toFixed(0)}% of a page` : "";
      const many = `${drawer.rows.length.toLocaleString("en")}${drawer.more ? "+" : ""} items, ${bytes(size)}${page}`;
      const share = `${percent.toFixed(2)}% of a page of 1 MB`;
      const count = drawer.rows.length > 1 ? element("div", { class: "count", title: share }, many) : null;
      return element("div", { class: "label" }, element("div", { class: "caption" }, key, count));
    }

    row(row) {
      const hue = row.e >= 0 ? `hue-${row.e % 8}` : row.e === -1 ? "hue-7" : "hue-none";
      const isSelected = this.host.selected === row.id;
      const sort = element("span", { class: "sort" });
      if (this.host.isDecoded) {
        sort.className = "decoded";
        const fields = row.s.filter(([, field]) => field);
        for (const [text, field, value] of fields) sort.append(element("span", {}, element("em", {}, field), value || text));
        if (!fields.length && row.s.length) sort.append(element("span", {}, element("em", {}, "constant"), plain(row.s)));
      } else {
        sort.append(...sortNodes(row.s));
      }
      if (!row.s.length && this.place === "table") sort.append(element("span", { class: "literal" }, row.v.join("  ") || "no sort key"));
      if (!row.s.length && this.place !== "table") sort.append(tableKey(row));
      sort.title = plain(row.s);
      return element("button", {
        type: "button", class: `row ${hue}${isSelected ? " selected" : ""}`, "data-id": row.id,
        "aria-current": isSelected ? "true" : null, tabindex: isSelected ? "0" : "-1",
      }, element("i", { class: "hue-bar" }), sort, element("span", { class: "end" },
        ...(row.s.length ? row.v.map((text) => element("span", { class: "value" }, text)) : []),
        element("span", { class: "pill" }, row.l), element("span", { class: "size" }, bytes(row.b))));
    }

    moreRow(drawer) {
      const made = element("button", { type: "button", class: "row more" }, "More items in this partition: read the next 100");
      made.addEventListener("click", () => this.readPage(drawer));
      return made;
    }

    /** The state at the end of the rows: reading, an error, the next page, or nothing here. */
    showTail() {
      this.tail.replaceChildren();
      const button = (text, action) => {
        const made = element("button", { type: "button", class: "button" }, text);
        made.addEventListener("click", action);
        return made;
      };
      const box = (title, ...content) => this.tail.append(element("div", { class: "empty" }, element("b", {}, title), ...content));
      if (this.problem) {
        box("This page was not read", element("p", {}, this.problem), button("Try again", () => this.readPage()));
      } else if (this.isReading) {
        this.tail.append(element("p", { class: "reading" }, "Reading…"));
      } else if (!this.isStarted && this.host.isBilled) {
        box("Nothing was read", element("p", {}, "A page reads up to 100 items: 0.5 RRU per 4 KB."), button("Read the first page", () => this.readPage()));
      } else if (this.isStarted && !this.isFinished && (this.host.isBilled || this.position.search)) {
        this.tail.append(button(this.position.search ? `Search on: ${this.examined.toLocaleString("en")} items examined` : "Read the next page", () => this.readPage()));
      } else if (this.isFinished && !this.rowCount) {
        this.showNothing(box);
      }
      if (this.isCut) box("The first items", element("p", {}, "These pages are a copy with the first items of the store."));
      else if (this.isFinished && this.rowCount && !this.position.partition && !this.position.search) this.host.showAbsent(this);
    }

    showNothing(box) {
      if (this.position.partition) box("No item here", element("p", {}, "No item has this key. Check its spelling: keys are case-sensitive."));
      else if (this.position.search) box("Nothing found", element("p", {}, `None of ${this.examined.toLocaleString("en")} items matches.`));
      else if (this.place === "table" && !window.studio.isExported) {
        const link = element("a", { href: `/${encodeURIComponent(window.studio.table)}/items` }, "Items");
        box("The table is empty", element("p", {}, "Write an item in ", link, ", or put one with your program and reload this page."));
      } else if (this.place === "table") box("The table is empty");
      else box("No item is in this index", element("p", {}, "An item is in an index only if it has every key attribute of the index."));
    }

    /** Return the drawer and the number of the row of an item, if it was read. */
    locate(id) {
      const drawer = this.byId.get(id);
      const number = drawer?.shown ? drawer.shown.findIndex((row) => row.id === id) : -1;
      return number >= 0 ? { drawer, number } : null;
    }

    isComplete(drawer) {
      return !drawer.more && !this.position.sort && !this.position.search && ((this.isFinished && !this.isCut) || drawer !== this.drawers.at(-1));
    }

    /** Scroll until a row is visible. */
    reveal(found) {
      const count = found.drawer.shown.length + (found.drawer.more ? 1 : 0);
      const height = this.isStacked ? ROW : Math.max(ROW, (found.drawer.height - 2) / count);
      const top = found.drawer.top + (this.isStacked ? STACKED_LABEL : 0) + found.number * height;
      const view = this.scroll;
      if (top < view.scrollTop || top + ROW > view.scrollTop + view.clientHeight - 12) view.scrollTop = top - view.clientHeight / 2;
      this.draw();
    }

    node(id) { return [...this.stack.querySelectorAll(".row[data-id]")].find((row) => row.dataset.id === id) ?? null; }

    /** Return the item before or after another one, in the order of the column. */
    neighbour(id, step) {
      const found = this.locate(id);
      if (!found) return this.drawers.find((drawer) => drawer.shown?.length)?.shown[0] ?? null;
      const number = found.number + step;
      if (number >= 0 && number < found.drawer.shown.length) return found.drawer.shown[number];
      let place = this.drawers.indexOf(found.drawer) + step;
      while (this.drawers[place] && !this.drawers[place].shown.length) place += step;
      const rows = this.drawers[place]?.shown;
      return rows ? rows[step > 0 ? 0 : rows.length - 1] : null;
    }
  }
  stacked.addEventListener("change", () => { for (const column of window.studio.columns) column.layoutOf = ""; dispatchEvent(new Event("resize")); });
  window.studio.Column = Column;
  window.studio.keyNodes = keyNodes;
})();
