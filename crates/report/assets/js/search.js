// Search over statements and function names, with next and previous.

const searching = { text: "", hits: [], at: -1 };

function buildSearch() {
  const input = el("input", {
    id: "query",
    type: "search",
    placeholder: "Search statements and functions   /",
    "aria-label": "Search statements and functions",
    autocomplete: "off",
    spellcheck: "false",
  });
  input.addEventListener(
    "input",
    debounced(120, () => search(input.value)),
  );
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (input.value !== searching.text) search(input.value);
    walkHits(event.shiftKey ? -1 : 1);
  });
  byId("search").append(
    input,
    el("span", { id: "hits", "aria-live": "polite" }),
    el(
      "button",
      {
        type: "button",
        title: "Previous hit (Shift+Enter)",
        "aria-label": "Previous hit",
        click: () => walkHits(-1),
      },
      "↑",
    ),
    el(
      "button",
      { type: "button", title: "Next hit (Enter)", "aria-label": "Next hit", click: () => walkHits(1) },
      "↓",
    ),
  );
}

/** Hits of the function in the picture come first, then functions by name, then statements elsewhere. */
function search(text) {
  searching.text = text;
  searching.at = -1;
  const wanted = text.trim().toLowerCase();
  if (wanted === "") searching.hits = [];
  else {
    const found = new Set();
    data.texts.forEach(
      (known, index) => known.toLowerCase().includes(wanted) && found.add(data.texts[index]),
    );
    const hit = (node) => found.has(node.text) && isStatement(node);
    const inFunction = (node) => node.function === state.fn;
    const inPicture = state.fn ? state.fn.nodes.filter(hit) : [];
    const named = functions
      .filter((fn) => fn.name.toLowerCase().includes(wanted))
      .sort((a, b) => a.name.length - b.name.length);
    searching.hits = [
      ...inPicture.map((node) => ({ fn: node.function, node })),
      ...named.map((fn) => ({ fn, node: null })),
      ...nodes.filter((node) => hit(node) && !inFunction(node)).map((node) => ({ fn: node.function, node })),
    ];
  }
  renderHits();
}

function walkHits(direction) {
  const { hits } = searching;
  if (hits.length === 0) return;
  searching.at =
    searching.at < 0 && direction < 0
      ? hits.length - 1
      : (searching.at + direction + hits.length) % hits.length;
  const { fn, node } = hits[searching.at];
  go({ fn, node }, { walk: true, keepFocus: true });
  renderHits();
}

function renderHits() {
  const { text, hits, at } = searching;
  const place = at < 0 ? count(hits.length, "hit") : `${at + 1} of ${hits.length}`;
  byId("hits").textContent = text.trim() === "" ? "" : place;
  markHits();
}

/** Outlines the hits in the picture. */
function markHits() {
  if (!state.fn) return;
  const hits = new Set(
    searching.hits
      .filter((hit) => hit.fn === state.fn && hit.node)
      .map((hit) => picture.itemOf.get(hit.node)),
  );
  for (const item of picture.drawn) item.element.classList.toggle("hit", hits.has(item));
}
