// The live tail of a stream: request the changes since the last request, and show the newest first.
"use strict";
(() => {
  const { ask, find, onKey, show, trusted } = window.studio;
  const CHANGES_MAX = 200, BILLED_MINUTES = 10;
  const list = find("#changes"), state = find("#state"), problem = find("#problem"), follow = find("#follow");
  const isBilled = Boolean(find("#main").dataset.billed);
  const pause = isBilled ? 2000 : 1000;
  let tail = "", start = "latest", run = 0, timer = 0, isFollowing = false, isBusy = false, endsAt = 0;
  let shown = 0, internal = 0;

  function report(message) {
    problem.textContent = message;
    problem.hidden = !message;
  }

  function setFollowing(value, reason = "") {
    isFollowing = value;
    clearTimeout(timer);
    follow.firstChild.textContent = value ? "Pause " : tail ? "Continue " : "Follow the stream ";
    if (!value && reason) state.textContent = reason;
    if (value) { find("#not-read")?.remove(); endsAt = Date.now() + BILLED_MINUTES * 60_000; poll(); }
  }

  function add(answer) {
    shown += answer.count;
    internal += answer.internal;
    if (answer.count + answer.internal) {
      list.insertAdjacentHTML("afterbegin", trusted(answer.html));
      while (list.children.length > CHANGES_MAX) list.lastElementChild.remove();
    }
    update();
    if (!isFollowing) return;
    const parts = [`Following ${answer.shards}`, shown === 1 ? "1 change" : `${shown.toLocaleString("en")} changes`];
    if (internal) parts.push(`${internal.toLocaleString("en")} of internal items`);
    if (shown + internal > CHANGES_MAX) parts.push(`the page shows the last ${CHANGES_MAX}`);
    state.textContent = parts.join(" · ");
  }

  function update() {
    find("#clear").disabled = shown + internal === 0;
    find("#none").hidden = shown > 0 || (internal > 0 && find("#internal").checked);
  }

  async function poll() {
    if (isBusy || !isFollowing) return;
    if (isBilled && Date.now() > endsAt) { setFollowing(false, `Paused after ${BILLED_MINUTES} minutes, because AWS bills each read`); return; }
    let wait = pause;
    if (!document.hidden) {
      isBusy = true;
      const own = run;
      try {
        const answer = await ask("changes", { tail, start });
        if (own !== run) {
          wait = 0;  // the user began again meanwhile
        } else if (answer.missing) {
          show(find("#missing"), answer.missing);
          for (const each of [follow, find("#oldest")]) each.hidden = true;  // there is nothing to follow
          find("#none").hidden = true;
          setFollowing(false, "No stream");
        } else {
          tail = answer.tail;
          find("#missing").replaceChildren();
          if (answer.has_more) wait = 0;
          add(answer);
        }
        report("");
      } catch (failure) { report(failure.message); setFollowing(false, "Stopped after an error"); }
      isBusy = false;
    }
    if (isFollowing) timer = setTimeout(poll, wait);
  }

  function clear() {
    list.replaceChildren();
    shown = internal = 0;
    update();
  }

  follow.addEventListener("click", () => setFollowing(!isFollowing, "Paused"));
  find("#clear").addEventListener("click", clear);
  find("#oldest").addEventListener("click", () => { clear(); run += 1; tail = ""; start = "oldest"; setFollowing(true); });
  find("#internal").addEventListener("change", (event) => { list.classList.toggle("shows-internal", event.target.checked); update(); });
  document.addEventListener("click", async (event) => {
    if (!event.target.closest("#enable")) return;
    try {
      await ask("enable", {});
      for (const each of [follow, find("#oldest")]) each.hidden = false;
      setFollowing(true);
    } catch (failure) { report(failure.message); }
  });
  onKey("f", () => { if (!follow.hidden) follow.click(); });
  onKey("x", clear);
  if (!isBilled) setFollowing(true);
})();
