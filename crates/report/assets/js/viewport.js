// Scrolling and zooming of the picture. The browser scrolls; only the scale is ours.

let zoom = 1;
const sheetSize = { width: 0, height: 0 };
/** Room around the picture, so that its rim can be scrolled into the middle. */
const MARGIN = 28;

function setSheetSize(width, height) {
  Object.assign(sheetSize, { width, height });
  applyZoom();
}

function applyZoom() {
  const sheet = byId("sheet");
  Object.assign(sheet.style, {
    width: `${sheetSize.width}px`,
    height: `${sheetSize.height}px`,
    transform: `scale(${zoom})`,
  });
  const frame = sheet.parentElement;
  Object.assign(frame.style, {
    width: `${sheetSize.width * zoom + 2 * MARGIN}px`,
    height: `${sheetSize.height * zoom + 2 * MARGIN}px`,
  });
  byId("zoom").textContent = `${Math.round(zoom * 100)} %`;
  drawVisible();
}

/** Zooms around a point of the visible area: its middle unless given. */
function setZoom(value, x = byId("canvas").clientWidth / 2, y = byId("canvas").clientHeight / 2) {
  const canvas = byId("canvas");
  const next = Math.min(2, Math.max(0.1, value));
  const at = { x: (canvas.scrollLeft + x - MARGIN) / zoom, y: (canvas.scrollTop + y - MARGIN) / zoom };
  zoom = next;
  applyZoom();
  canvas.scrollTo(at.x * zoom + MARGIN - x, at.y * zoom + MARGIN - y);
}

function fitZoom() {
  const canvas = byId("canvas");
  const wide = (canvas.clientWidth - 2 * MARGIN) / sheetSize.width;
  const high = (canvas.clientHeight - 2 * MARGIN) / sheetSize.height;
  setZoom(Math.min(1, wide, high));
}

const smooth = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

function scrollToItem(item) {
  const canvas = byId("canvas");
  canvas.scrollTo({
    left: (item.x + item.width / 2) * zoom + MARGIN - canvas.clientWidth / 2,
    top: (item.y + item.height / 2) * zoom + MARGIN - canvas.clientHeight / 2,
    behavior: smooth(),
  });
}

/** Scrolls only as far as needed: the panel may have opened over what was clicked. */
function showItem(item) {
  const canvas = byId("canvas");
  if (!item || !canvas) return;
  const over = (item.x + item.width) * zoom + 2 * MARGIN - canvas.scrollLeft - canvas.clientWidth;
  if (over > 0) canvas.scrollBy({ left: over, behavior: smooth() });
}

/** Where a statement, or the box around it, is on the screen; null when it is not drawn. */
function screenPlace(node) {
  const item = picture.itemOf.get(node);
  const canvas = byId("canvas");
  return (
    item && picture.layout && { x: item.x * zoom - canvas.scrollLeft, y: item.y * zoom - canvas.scrollTop }
  );
}

function restorePlace(node, place) {
  const item = picture.itemOf.get(node);
  if (item) byId("canvas").scrollTo(item.x * zoom - place.x, item.y * zoom - place.y);
}

/** A new picture starts readable: never smaller than small print, at the first change or at the entry. */
function firstLook() {
  const canvas = byId("canvas");
  zoom = Math.min(1, Math.max(0.75, (canvas.clientWidth - 2 * MARGIN) / sheetSize.width));
  applyZoom();
  const item =
    (state.node && picture.itemOf.get(state.node)) ??
    picture.items.find((candidate) => ["added", "removed", "meaning"].includes(candidate.state));
  if (item && sheetSize.height * zoom > canvas.clientHeight) {
    canvas.scrollTo(
      (item.x + item.width / 2) * zoom + MARGIN - canvas.clientWidth / 2,
      item.y * zoom + MARGIN - canvas.clientHeight / 3,
    );
  } else {
    // Where the picture is wider than the screen, its middle may be empty: the entry is where reading begins.
    const entry = picture.items.reduce((top, candidate) => (candidate.y < top.y ? candidate : top));
    canvas.scrollTo((entry.x + entry.width / 2) * zoom + MARGIN - canvas.clientWidth / 2, 0);
  }
}

/** Dragging the paper moves it; the wheel with Ctrl zooms, as in maps. */
function watchCanvas(canvas) {
  let waiting = false;
  const redraw = () => {
    if (!waiting) requestAnimationFrame(() => ((waiting = false), drawVisible()));
    waiting = true;
  };
  canvas.addEventListener("scroll", redraw, { passive: true });
  new ResizeObserver(redraw).observe(canvas);
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.target.closest("button")) return;
    drag = { x: event.clientX + canvas.scrollLeft, y: event.clientY + canvas.scrollTop };
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("dragging");
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag) canvas.scrollTo(drag.x - event.clientX, drag.y - event.clientY);
  });
  const stop = () => {
    drag = null;
    canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", stop);
  canvas.addEventListener("pointercancel", stop);
  const wheel = (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    setZoom(zoom * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener("wheel", wheel, { passive: false });
}
