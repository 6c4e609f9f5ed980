// Places for the labels of flow: none upon another one, nor upon a statement where there is room elsewhere on its line.

const LABEL_HEIGHT = 16;
/** Rectangles are looked up by stripes of this height. */
const STRIPE = 64;

/** Rectangles that are taken. */
function takenPlaces() {
  const stripes = new Map();
  const around = ([, top, , bottom]) => {
    const all = [];
    for (let at = Math.floor(top / STRIPE); at <= Math.floor(bottom / STRIPE); at++) all.push(at);
    return all;
  };
  const meets = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  return {
    add(place) {
      for (const at of around(place)) stripes.set(at, [...(stripes.get(at) ?? []), place]);
    },
    free: (place) => around(place).every((at) => !(stripes.get(at) ?? []).some((one) => meets(one, place))),
  };
}

/** Points on a line, the nearest to its start first. */
function placesAlong(points) {
  const places = [];
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1], points[i]];
    const steps = Math.max(1, Math.floor(Math.hypot(b.x - a.x, b.y - a.y) / (LABEL_HEIGHT + 4)));
    for (let step = 0; step < steps && places.length < 60; step++) {
      const part = (step + 0.5) / steps;
      places.push({ x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part });
    }
  }
  return places;
}

function spreadLabels(graph) {
  const [labels, boxes] = [takenPlaces(), takenPlaces()];
  for (const { x, y, width, height } of graph.items) boxes.add([x, y, x + width, y + height]);
  const links = graph.links.filter((link) => link.label);
  links.sort((a, b) => a.labelAt.y - b.labelAt.y || a.labelAt.x - b.labelAt.x);
  for (const link of links) {
    const [wide, high] = [link.labelWidth / 2, LABEL_HEIGHT / 2];
    const place = ({ x, y }) => [x - wide, y - high, x + wide, y + high];
    const candidates = [link.labelAt, ...placesAlong(link.points)];
    const free = (point) => labels.free(place(point));
    link.labelAt =
      candidates.find((point) => free(point) && boxes.free(place(point))) ??
      candidates.find(free) ??
      link.labelAt;
    labels.add(place(link.labelAt));
  }
}
