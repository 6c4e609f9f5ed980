// Ties the parts together: every change of what is shown goes through `go`.

/**
 * Changes the state and shows it. `push` makes an entry in the browser's history, `walk` scrolls to the node and focuses it
 * (unless `keepFocus`). Resolves when the picture stands.
 */
async function go(change, { push = false, walk = false, keepFocus = false } = {}) {
  const before = { ...state };
  Object.assign(state, change);
  if (!state.pinned) state.base = baseOf(state.version);
  if (state.node && !change.fn) state.fn = state.node.function;
  const moved = state.version !== before.version || state.base !== before.base;
  const other = state.fn !== before.fn;
  if (other && state.fn) Object.assign(state, startLevel(state.fn), { opened: new Set() });

  if (moved || other) renderTimeline();
  if (moved) renderFunctions();
  else if (other) drawRows();
  if (other) scrollToFunction();
  writeAddress(push || (other && before.fn === null));

  if (!state.fn) {
    picture.fn = null;
    if (other) showOverview();
    else renderOverview();
  } else if (other) {
    showFunction();
    await buildPicture();
  } else if (moved && state.scope === "step") await buildPicture(state.node ?? null);
  else if (moved) restyle();

  if (state.node && state.fn) {
    await reveal(state.node);
    markSelected();
  } else if (before.node && state.fn && !other) markSelected();
  renderPanel();
  if (state.node && !before.node && !walk) showItem(picture.itemOf.get(state.node));
  markHits();
  if (walk && state.node) {
    const item = picture.itemOf.get(state.node);
    if (item) scrollToItem(item);
    if (item && !keepFocus) focusItem(item);
  }
}

function start() {
  byId("title").textContent = data.title;
  byId("home").addEventListener("click", () => go({ fn: null, node: null }, { push: true }));
  buildHelp();
  buildSearch();
  buildFunctionList();
  if (versions.length === 0) {
    showEmpty();
    return;
  }
  buildTimeline();
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", () => go(readAddress()));
  filterFunctions();
  renderTimeline();
  renderFunctions();
  showOverview();
  if (location.hash.length > 1) go(readAddress());
  setTimeout(warmElk, 50);
  byId("main").dataset.started = String(Math.round(performance.now()));
}

function showEmpty() {
  byId("main").append(
    el(
      "div",
      { class: "overview" },
      el("h1", {}, data.title),
      el("p", {}, "There are no versions in this graph."),
    ),
  );
}

window.addEventListener("beforeprint", () => {
  if (!state.fn) return;
  Object.assign(picture, { screenZoom: zoom, printing: true });
  zoom = Math.min(1, 700 / sheetSize.width);
  applyZoom();
});
window.addEventListener("afterprint", () => {
  if (!state.fn) return;
  zoom = picture.screenZoom ?? zoom;
  picture.printing = false;
  applyZoom();
});

start();
