// Drawing. Of a large picture only what is near the visible part exists as elements, so that five thousand statements
// scroll as fifty do.

/** Pictures up to this size are drawn as a whole. */
const DRAW_WHOLE = 300;

/** Everything follows the chosen version and base; nothing moves. */
function restyle() {
  for (const item of picture.items) item.state = itemState(item);
  picture.drawn = [];
  drawVisible();
  renderSummary();
  renderPaths();
  renderCalls();
  renderLegend();
}

/** Draws what is in view, plus a screenful around it and the item that has the focus. */
function drawVisible() {
  if (!picture.fn || !byId("canvas")) return;
  const [top, bottom] = visibleBand();
  const near = (low, high) => low < bottom && high > top;
  const focused = (item) =>
    item === picture.kept || (item.element && item.element === document.activeElement);
  const items = picture.items.filter((item) => near(item.y, item.y + item.height) || focused(item));
  if (items.length === picture.drawn.length && items.every((item, place) => item === picture.drawn[place]))
    return;
  const links = picture.links.filter((link) => near(...verticalSpan(link)));
  picture.drawn = items;
  picture.drawnLinks = links;
  const { width, height } = picture.layout;
  const drawing = svg("svg", { class: "links", width: width + 2, height: height + 2, "aria-hidden": "true" });
  drawing.append(...links.map((link) => link.element ?? drawLink(link)));
  const sheet = byId("sheet");
  const elements = items.map((item) => item.element ?? drawItem(item));
  syncChildren(sheet, [drawing, ...elements]);
  items.forEach(styleItem);
  links.forEach(styleLink);
  stylePaths();
  markSelected();
  markHits();
}

function visibleBand() {
  if (picture.items.length <= DRAW_WHOLE || picture.printing) return [-Infinity, Infinity];
  const canvas = byId("canvas");
  const [start, size] = [(canvas.scrollTop - MARGIN) / zoom, canvas.clientHeight / zoom];
  return [start - size, start + 2 * size];
}

function verticalSpan(link) {
  if (!link.span) {
    const heights = link.points.map((point) => point.y);
    link.span = [Math.min(...heights), Math.max(...heights)];
  }
  return link.span;
}

/** Puts the children in order without touching those that stay, which would take the focus from them. */
function syncChildren(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let place = parent.firstChild;
  for (const child of children) {
    if (child === place) place = place.nextSibling;
    else parent.insertBefore(child, place);
  }
}

function styleLink(link) {
  const how = stateOf(link.set, state.version, state.base);
  link.element.setAttribute("class", `link ${picture.looks.get(link.set) ?? "hue-none"} ${how}`);
}

function markSelected() {
  const selected = state.node && picture.itemOf.get(state.node);
  const stop = picture.drawn.includes(selected) ? selected : picture.drawn[0];
  for (const item of picture.drawn) {
    if (item === selected) item.element.setAttribute("aria-current", "true");
    else item.element.removeAttribute("aria-current");
    item.element.tabIndex = item === stop ? 0 : -1;
  }
  for (const link of picture.drawnLinks) {
    link.element.classList.toggle(
      "near",
      Boolean(selected) && (link.from === selected || link.to === selected),
    );
  }
}

/** Focuses an item, which may be out of view still. */
function focusItem(item) {
  picture.kept = item;
  drawVisible();
  item.element.focus({ preventScroll: true });
}
