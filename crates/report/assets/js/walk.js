// Walking: from change to change, from statement to statement, from function to function.

/** Changed statements of this step in reading order. */
function changedItems() {
  return picture.items.filter((item) => ["added", "removed", "meaning"].includes(item.state));
}

/** To the next change; past the last one of this step to the next version that changed the function. */
async function walkChanges(direction) {
  if (!state.fn) return;
  const list = changedItems();
  const selected = state.node && picture.itemOf.get(state.node);
  const here = selected ? picture.items.indexOf(selected) : direction > 0 ? -1 : picture.items.length;
  const ahead = list.filter((item) => (picture.items.indexOf(item) - here) * direction > 0);
  const next = direction > 0 ? ahead[0] : ahead[ahead.length - 1];
  if (next) {
    go({ node: next.node }, { walk: true });
    announce(`Change ${list.indexOf(next) + 1} of ${list.length}`);
    return;
  }
  const steps = changedVersions(state.fn).filter((version) => (version - state.version) * direction > 0);
  const version = direction > 0 ? steps[0] : steps[steps.length - 1];
  if (version === undefined) {
    announce(direction > 0 ? "No later change in this function" : "No earlier change in this function");
    return;
  }
  await go({ version, pinned: false, node: null });
  const there = changedItems();
  const first = direction > 0 ? there[0] : there[there.length - 1];
  if (first) go({ node: first.node }, { walk: true });
  announce(`${versionName(version)}: ${count(there.length, "change")}`);
}

/** Up and down in the picture. */
function walkItems(direction) {
  const at = picture.items.findIndex((item) => item.element === document.activeElement);
  const item = picture.items[Math.min(picture.items.length - 1, Math.max(0, at + direction))];
  if (!item) return;
  scrollToItem(item);
  focusItem(item);
}

function walkVersions(direction) {
  const version = Math.min(newest, Math.max(0, state.version + direction));
  if (version !== state.version) go({ version });
}

function walkFunctions(direction) {
  const list = functionList.shown;
  if (list.length === 0) return;
  const at = list.indexOf(state.fn);
  const next =
    at < 0 ? (direction > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + direction));
  go({ fn: list[next], node: null });
}
