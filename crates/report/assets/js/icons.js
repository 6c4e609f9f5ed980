// Signs drawn as paths, because fonts differ in which symbols they have.

const ICONS = {
  branch: ["M8 2V8M3.5 13L8 8L12.5 13", "versions part here"],
  merge: ["M8 14V8M8 8L3.5 3M8 8L12.5 3", "versions join here"],
  box: ["M2 4H14M2 8H14M2 12H14", "collapsed"],
  call: ["M3 13L12 4M6 3.5H12.5V10", "calls a function"],
};

function icon(name) {
  const [path, label] = ICONS[name];
  return svg(
    "svg",
    { class: `icon icon-${name}`, viewBox: "0 0 16 16", role: "img", "aria-label": label },
    svg("title", {}, label),
    svg("path", { d: path }),
  );
}
