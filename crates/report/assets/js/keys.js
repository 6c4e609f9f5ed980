// The keyboard.

const KEYS = [
  ["j  k", "next and previous function", { j: () => walkFunctions(1), k: () => walkFunctions(-1) }],
  [
    "l  h  or  →  ←",
    "later and earlier version",
    {
      l: () => walkVersions(1),
      h: () => walkVersions(-1),
      ArrowRight: () => walkVersions(1),
      ArrowLeft: () => walkVersions(-1),
    },
  ],
  [
    "n  p",
    "next and previous change; past the last one, on to the next version",
    { n: () => walkChanges(1), p: () => walkChanges(-1) },
  ],
  [
    "↓  ↑",
    "next and previous statement in the picture",
    { ArrowDown: () => walkItems(1), ArrowUp: () => walkItems(-1) },
  ],
  ["Enter", "details of the statement; opens a collapsed box", {}],
  ["/", "search; Enter and Shift+Enter go through the hits", { "/": () => byId("query").select() }],
  [
    "e  c",
    "expand everything, collapse again",
    { e: () => state.fn && setLevel(SHOW_ALL), c: () => state.fn && setLevel(HIDE_COMMON) },
  ],
  [
    "+  −  0",
    "larger, smaller, fit",
    {
      "+": () => state.fn && setZoom(zoom * 1.2),
      "-": () => state.fn && setZoom(zoom / 1.2),
      0: () => state.fn && fitZoom(),
    },
  ],
  ["o", "overview", { o: () => go({ fn: null, node: null }, { push: true }) }],
  ["?", "this help", { "?": () => byId("help").showModal() }],
  ["Esc", "close what is open", { Escape: closeInnermost }],
];

const actions = Object.assign({}, ...KEYS.map(([, , keys]) => keys));

/** From the inside out: search field, details, function. */
function closeInnermost() {
  if (document.activeElement?.matches("input, select")) document.activeElement.blur();
  else if (state.node) closePanel();
  else if (state.fn) go({ fn: null }, { push: true });
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const { target } = event;
  const typing = target.matches("input[type=search], select, textarea");
  const sliding = target.matches("input[type=range]") && event.key.startsWith("Arrow");
  const upDown = event.key === "ArrowUp" || event.key === "ArrowDown";
  if ((typing && event.key !== "Escape") || sliding) return;
  if (upDown && (!state.fn || target.closest("#panel"))) return;
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

function buildHelp() {
  const help = byId("help");
  help.append(
    el("h2", { id: "help-title" }, "What this page shows"),
    el(
      "p",
      {},
      "One graph of many versions of a program. A box is a statement, an arrow is flow of control, and both know the versions they are in. Move through the versions: what the chosen one adds is bold with a plus, what it removes is dashed with a minus. Colours tell version sets apart and repeat what the boxes say in words.",
    ),
    el("h3", {}, "Keys"),
    el(
      "table",
      {},
      el(
        "tbody",
        {},
        KEYS.map(([keys, what]) =>
          el(
            "tr",
            {},
            el(
              "th",
              { scope: "row" },
              keys.split(/\s+/).map((key) => (key === "or" ? " or " : el("kbd", {}, key))),
            ),
            el("td", {}, what),
          ),
        ),
      ),
    ),
    el(
      "p",
      {},
      "The address of the page says what is shown: copy it to share the view. Ctrl and the wheel zoom, dragging moves the picture.",
    ),
    el(
      "details",
      {},
      el("summary", {}, "Licences"),
      el(
        "pre",
        { class: "licence" },
        byId("elk-license").textContent || "No third-party code is inside this page.",
      ),
    ),
    el("form", { method: "dialog" }, el("button", { autofocus: true }, "Close")),
  );
  byId("help-button").addEventListener("click", () => help.showModal());
}
