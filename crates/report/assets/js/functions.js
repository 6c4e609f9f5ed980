// The list of functions. Only the rows in view exist, so that a hundred thousand functions scroll as ten do.

const ROW_HEIGHT = 46;

const functionList = { shown: [], filter: "", which: "changed", order: "changes", step: new Map() };

function buildFunctionList() {
  const filter = el("input", {
    id: "filter",
    type: "search",
    placeholder: "Filter functions",
    "aria-label": "Filter functions",
    autocomplete: "off",
    spellcheck: "false",
  });
  filter.addEventListener("input", () => {
    functionList.filter = filter.value;
    filterFunctions();
  });
  const which = [
    ["changed", "changed only"],
    ["step", "changed in this step"],
    ["all", "all"],
  ];
  const order = [
    ["changes", "most changed"],
    ["name", "name"],
    ["file", "file"],
  ];
  const rowsElement = el(
    "div",
    {
      id: "rows",
      role: "listbox",
      tabindex: "0",
      "aria-label": "Functions",
      scroll: drawRows,
      keydown: listKey,
      click: clickRow,
    },
    el("div", { id: "rows-space" }),
  );
  byId("functions").append(
    el(
      "div",
      { class: "list-head" },
      filter,
      el(
        "div",
        { class: "list-choices" },
        choice("Show functions", "which", which, functionList.which, (value) => {
          functionList.which = value;
          filterFunctions();
        }),
        choice("Sort by", "order", order, functionList.order, (value) => {
          functionList.order = value;
          filterFunctions();
        }),
      ),
      el("p", { id: "list-count" }),
    ),
    rowsElement,
  );
  new ResizeObserver(drawRows).observe(rowsElement);
}

const ORDERS = {
  changes: (a, b) =>
    b.changes - a.changes || Number(b.changed) - Number(a.changed) || a.name.localeCompare(b.name),
  name: (a, b) => a.name.localeCompare(b.name),
  file: (a, b) => a.file.localeCompare(b.file) || a.name.localeCompare(b.name),
};

function filterFunctions() {
  const words = functionList.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = { changed: (fn) => fn.changed, step: (fn) => functionList.step.has(fn), all: () => true }[
    functionList.which
  ];
  const matches = (fn) =>
    words.every((word) => fn.name.toLowerCase().includes(word) || fn.file.toLowerCase().includes(word));
  functionList.shown = functions.filter((fn) => wanted(fn) && matches(fn)).sort(ORDERS[functionList.order]);
  byId("list-count").textContent =
    `${functionList.shown.length.toLocaleString("en")} of ${count(functions.length, "function")}`;
  byId("rows-space").style.height = `${functionList.shown.length * ROW_HEIGHT}px`;
  drawRows();
}

/** Called when the step or the function changed. */
function renderFunctions() {
  functionList.step = changesBetween(state.version, state.base);
  if (functionList.which === "step") filterFunctions();
  else drawRows();
}

function drawRows() {
  const box = byId("rows");
  const first = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - 4);
  const last = Math.min(
    functionList.shown.length,
    Math.ceil((box.scrollTop + box.clientHeight) / ROW_HEIGHT) + 4,
  );
  byId("rows-space").replaceChildren(
    ...functionList.shown.slice(first, last).map((fn, offset) => drawRow(fn, first + offset)),
  );
  if (state.fn && functionList.shown.includes(state.fn))
    box.setAttribute("aria-activedescendant", `function-${state.fn.index}`);
  else box.removeAttribute("aria-activedescendant");
}

function drawRow(fn, place) {
  const step = functionList.step.get(fn);
  const marker = el("span", { class: "marker" });
  marker.style.left = `${(100 * (state.version + 0.5)) / versions.length}%`;
  const row = el(
    "div",
    {
      id: `function-${fn.index}`,
      class: "row",
      role: "option",
      "aria-selected": fn === state.fn ? "true" : "false",
      "aria-setsize": functionList.shown.length,
      "aria-posinset": place + 1,
      title: `${fn.name}${fn.file ? ` in ${fn.file}` : ""}\n${rangeText(fn.set)}\n${signed(fn.total.added, fn.total.removed) || "no statement"} over all versions`,
    },
    el("span", { class: "row-name" }, fn.name),
    el(
      "span",
      { class: "row-count", "aria-label": `${count(fn.changes, "change")}` },
      fn.changes > 0 ? fn.changes.toLocaleString("en") : fn.flow ? "flow" : "",
    ),
    el("span", { class: "row-bar" }, lifelineElement(fn.set), changeTicks(fn), marker),
    el(
      "span",
      { class: "row-step" },
      step ? signed(step.added, step.removed) || (step.meaning > 0 ? `≈${step.meaning}` : "flow") : "",
    ),
  );
  row.style.top = `${place * ROW_HEIGHT}px`;
  return row;
}

/** Little notches where the function changed. */
function changeTicks(fn) {
  const ticks = el("span", { class: "ticks", "aria-hidden": "true" });
  const places = changedVersions(fn).map((version) => (100 * (version + 0.5)) / versions.length);
  ticks.style.backgroundImage =
    places
      .slice(0, 60)
      .map(
        (at) =>
          `linear-gradient(to right, transparent calc(${at}% - 1px), currentColor calc(${at}% - 1px), currentColor calc(${at}% + 1px), transparent calc(${at}% + 1px))`,
      )
      .join(", ") || "none";
  return ticks;
}

function clickRow(event) {
  const row = event.target.closest(".row");
  if (row) go({ fn: functions[Number(row.id.slice("function-".length))], node: null }, { push: true });
}

function listKey(event) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  event.preventDefault();
  event.stopPropagation();
  walkFunctions(steps[event.key]);
}

function scrollToFunction() {
  const place = functionList.shown.indexOf(state.fn);
  const box = byId("rows");
  if (place < 0) return;
  const top = place * ROW_HEIGHT;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW_HEIGHT > box.scrollTop + box.clientHeight)
    box.scrollTop = top + ROW_HEIGHT - box.clientHeight;
}
