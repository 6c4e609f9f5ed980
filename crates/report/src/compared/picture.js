"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const names = { R: "no change is executed", P: "changes are executed, outcomes are equal", D: "outcomes differ" };
const make = (tag, text, parent) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
};
const percent = (measure) => {
  const one = (part) => (100 * part).toPrecision(4) + " %";
  return measure.exact ? one(measure.low) : one(measure.low) + " to " + one(measure.high);
};
document.querySelector("h1").textContent = data.versions.join(" → ");
document.title = data.versions.join(" → ") + ": partitions";
document.getElementById("verdict").textContent = data.status;
if (data.share) {
  document.getElementById("share").textContent =
    "equal for " + percent(data.share.equal) + " of the inputs, different for " + percent(data.share.different) +
    ", " + (data.complete ? "left out " : "open ") + percent(data.share.open);
}
const map = document.getElementById("map");
const detail = document.getElementById("detail");
const order = { D: 0, P: 1, R: 2 };
const show = (number, button) => {
  const cell = data.partitions[number];
  map.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
  detail.replaceChildren();
  make("h2", "Partition " + (number + 1) + ": " + names[cell.label], detail);
  const list = make("dl", undefined, detail);
  const entry = (name, text) => { make("dt", name, list); return make("code", text, make("dd", undefined, list)); };
  entry("All inputs with", cell.condition);
  entry("One of them", JSON.stringify(cell.input));
  make("dt", "What the versions do with it", list);
  const sides = make("dd", undefined, list);
  sides.className = "sides";
  cell.outcomes.forEach((outcome, at) => {
    const side = make("div", undefined, sides);
    make("strong", data.versions[at], side);
    make("br", undefined, side);
    make("code", outcome, side);
  });
  if (cell.changes.length) {
    entry("Changed statements on the way", cell.changes.map((one) => one.file + ":" + one.line + " (" + one.version + ")").join("\n"));
  }
  entry("Why it was looked at", cell.why + (cell.beside === null ? "" : ", beside partition " + (cell.beside + 1)));
  if (cell.natively) entry("Native runs", cell.natively);
  if (cell.judgement) entry("Judged", cell.judgement);
};
const cells = data.partitions.map((cell, number) => ({ cell, number }));
cells.sort((a, b) => order[a.cell.label] - order[b.cell.label] || a.number - b.number);
for (const { cell, number } of cells) {
  const button = make("button", String(number + 1), map);
  button.className = cell.label;
  button.title = names[cell.label] + ": " + cell.condition;
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => show(number, button));
}
if (!data.complete) {
  const open = make("button", "open", map);
  open.className = "open";
  open.disabled = true;
}
const first = map.querySelector("button:not(.open)");
if (first) first.click();
