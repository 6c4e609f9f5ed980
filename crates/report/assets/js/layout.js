// Lays out a visible graph: by elkjs in a worker where that is possible, else by the built-in layout.

/** elkjs gets this long before the built-in layout takes over: a plain picture now is better than a fine one later. */
let elkPatience = 3000;
/** Above this size elkjs would mostly use up that patience. */
const ELK_LARGEST = 500;

const ELK_OPTIONS = {
  "elk.algorithm": "layered",
  "elk.direction": "DOWN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.spacing.nodeNode": "28",
  "elk.spacing.edgeNode": "16",
  "elk.spacing.edgeLabel": "3",
  "elk.layered.spacing.nodeNodeBetweenLayers": "22",
  "elk.layered.spacing.edgeNodeBetweenLayers": "10",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "10",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.cycleBreaking.strategy": "DEPTH_FIRST",
  "elk.layered.feedbackEdges": "true",
};

let elkWorker = null;
let elkRequest = 0;
let layoutNumber = 0;

/** Starts the worker, or returns null where there is no library or no worker (some browsers forbid both on `file:`). */
function startElk() {
  const source = byId("elk").textContent;
  if (source === "" || typeof Worker === "undefined") return null;
  try {
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(address);
    worker.postMessage({ id: elkRequest++, cmd: "register", algorithms: ["layered"] });
    return worker;
  } catch {
    return null;
  }
}

/** Reads the library before the first picture needs it. */
function warmElk() {
  elkWorker ??= startElk();
}

function stopElk() {
  elkWorker?.terminate();
  elkWorker = null;
}

function askElk(graph) {
  elkWorker ??= startElk();
  if (!elkWorker) return Promise.reject(new Error("no worker"));
  const worker = elkWorker;
  const id = elkRequest++;
  return new Promise((resolve, reject) => {
    const finish = (settle, value) => {
      clearTimeout(timer);
      worker.removeEventListener("message", hear);
      worker.removeEventListener("error", fail);
      settle(value);
    };
    const hear = ({ data: answer }) => {
      if (answer.id !== id) return;
      if (answer.error) finish(reject, answer.error);
      else finish(resolve, answer.data);
    };
    const fail = (event) => {
      event.preventDefault();
      stopElk();
      finish(reject, new Error("the worker failed"));
    };
    const timer = setTimeout(() => {
      stopElk();
      finish(reject, new Error("too slow"));
    }, elkPatience);
    worker.addEventListener("message", hear);
    worker.addEventListener("error", fail);
    worker.postMessage({ id, cmd: "layout", graph, layoutOptions: {}, options: {} });
  });
}

function elkGraph(graph) {
  const anchored = (item) => {
    if (isAnchor(item.node, "entry")) return { "elk.layered.layering.layerConstraint": "FIRST" };
    if (isAnchor(item.node, "exit")) return { "elk.layered.layering.layerConstraint": "LAST" };
    return {};
  };
  return {
    id: "root",
    // Fewer tries at untangling edges where each takes long.
    layoutOptions: { ...ELK_OPTIONS, "elk.layered.thoroughness": graph.items.length > 150 ? "3" : "7" },
    children: graph.items.map((item) => ({
      id: item.key,
      width: item.width,
      height: item.height,
      layoutOptions: anchored(item),
    })),
    edges: graph.links.map((link) => ({
      id: link.key,
      sources: [link.from.key],
      targets: [link.to.key],
      labels: link.label
        ? [
            {
              text: link.label,
              width: link.labelWidth,
              height: 15,
              layoutOptions: { "elk.edgeLabels.inline": "true" },
            },
          ]
        : [],
    })),
  };
}

function takeElk(graph, answer) {
  const placed = new Map(answer.children.map((child) => [child.id, child]));
  for (const item of graph.items) ({ x: item.x, y: item.y } = placed.get(item.key));
  const routed = new Map(answer.edges.map((edge) => [edge.id, edge]));
  for (const link of graph.links) {
    const { sections, labels } = routed.get(link.key);
    link.points = sections.flatMap((section) => [
      section.startPoint,
      ...(section.bendPoints ?? []),
      section.endPoint,
    ]);
    const label = labels?.[0];
    link.labelAt = label
      ? { x: label.x + label.width / 2, y: label.y + label.height / 2 }
      : labelPlace(link.points);
  }
  return { width: answer.width, height: answer.height };
}

/** Resolves to the picture's size, the engine and the time; to null when a newer request overtook this one. */
async function layOut(graph) {
  const number = ++layoutNumber;
  const start = performance.now();
  let engine = "elk";
  let size = null;
  if (graph.items.length <= ELK_LARGEST) {
    size = await askElk(elkGraph(graph)).then(
      (answer) => takeElk(graph, answer),
      () => null,
    );
    if (number !== layoutNumber) return null;
  }
  if (!size) {
    engine = "built-in";
    size = layOutInLayers(graph);
  }
  return { ...size, engine, milliseconds: Math.round(performance.now() - start) };
}
