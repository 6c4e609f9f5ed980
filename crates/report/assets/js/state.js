// What the page shows. Everything visible follows from this object and the data.

const newest = versions.length - 1;

const state = {
  /** The function in the picture; null for the overview. */
  fn: null,
  version: newest,
  base: baseOf(newest),
  /** Whether the base stays when the version moves; otherwise it is the version before. */
  pinned: false,
  node: null,
  /** `all` versions in the picture, or only those of the `step` from base to version. */
  scope: "all",
  level: HIDE_COMMON,
  opened: new Set(),
};

function scopeVersions() {
  return state.scope === "step" && state.base >= 0 ? [state.version, state.base] : null;
}
