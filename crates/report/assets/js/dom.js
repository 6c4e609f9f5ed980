// Small helpers to make elements. Texts always become text nodes, so nothing in the data is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fillElement(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

/** Children may be conditions that did not hold. */
function present(children) {
  return children.flat().filter((child) => child !== null && child !== undefined && child !== false);
}

/** Puts children in place of what an element has. */
function put(node, ...children) {
  node.replaceChildren(...present(children));
}

/** An HTML element; attributes whose value is a function are event listeners. */
function el(tag, attributes = {}, ...children) {
  return fillElement(document.createElement(tag), attributes, children);
}

/** An SVG element, made like `el` makes HTML. */
function svg(tag, attributes = {}, ...children) {
  return fillElement(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

/** `1 statement`, `1,234 statements`. */
function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** Says something to people who hear the page; changes of the picture are silent otherwise. */
function announce(text) {
  byId("live").textContent = text;
}

/** The real minus sign is as wide as the plus sign. */
function signed(added, removed) {
  return [added > 0 && `+${added.toLocaleString("en")}`, removed > 0 && `−${removed.toLocaleString("en")}`]
    .filter(Boolean)
    .join(" ");
}

/** Runs `action` once things have been quiet for a moment. */
function debounced(milliseconds, action) {
  let timer = 0;
  return (...parameters) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...parameters), milliseconds);
  };
}
