// The slider through the versions, the commit it stands on, and the version to compare with.

function buildTimeline() {
  const slider = el("input", {
    id: "slider",
    type: "range",
    min: 0,
    max: newest,
    step: 1,
    value: state.version,
    "aria-label": "Version",
  });
  slider.addEventListener("input", () => go({ version: Number(slider.value) }));
  const base = el(
    "select",
    { id: "base", "aria-label": "Compare with" },
    el("option", { value: "previous" }, "the version before"),
    versions.map((_, version) => el("option", { value: version }, versionName(version))),
  );
  base.addEventListener("change", () =>
    go(base.value === "previous" ? { pinned: false } : { pinned: true, base: Number(base.value) }),
  );
  const step = (label, title, direction) =>
    el("button", { type: "button", title, "aria-label": title, click: () => walkVersions(direction) }, label);
  byId("timeline").append(
    el(
      "div",
      { class: "version-now" },
      step("‹", "Earlier version (h or ←)", -1),
      el("output", { id: "version-name" }),
      step("›", "Later version (l or →)", 1),
    ),
    el(
      "div",
      { class: "slider-box" },
      el("div", { id: "slider-bars", "aria-hidden": "true" }),
      slider,
      el(
        "div",
        { class: "slider-ends", "aria-hidden": "true" },
        el("span", {}, versionName(0)),
        el("span", {}, versionName(newest)),
      ),
    ),
    el("label", { class: "choice" }, el("span", {}, "Compare with"), base),
    el("p", { id: "commit" }),
  );
}

function renderTimeline() {
  const { version, base, pinned } = state;
  const name = versionName(version);
  byId("slider").value = version;
  byId("slider").setAttribute("aria-valuetext", `${name}, ${version + 1} of ${versions.length}`);
  byId("version-name").textContent = name;
  byId("base").value = pinned ? String(base) : "previous";
  byId("base").options[0].textContent =
    !pinned && base >= 0 ? `the version before (${versionName(base)})` : "the version before";
  const { commit, author, date, summary, missing } = commits[version];
  const parts = [
    commit && el("code", {}, commit.slice(0, 10)),
    author && el("span", {}, author),
    date && el("time", { datetime: date }, date.slice(0, 16).replace("T", " ")),
    summary && el("q", {}, summary),
    missing.length > 0 &&
      el(
        "strong",
        { class: "missing", title: missing.join("\n") },
        `⚠ ${missing.length === 1 ? missing[0] : `${missing.length} files`} could not be read here: shown as before`,
      ),
  ];
  put(byId("commit"), parts.filter(Boolean));
  renderSliderBars();
}

/** Above the slider: how much each version changed the function, or the whole program in the overview. */
function renderSliderBars() {
  const tallyAt = (version) => (state.fn ? state.fn.byVersion.get(version) : tallies.byVersion[version]);
  const sums = versions.map((_, version) => {
    const tally = tallyAt(version);
    return tally ? tally.added + tally.removed + tally.meaning || (state.fn ? 0.5 : 0) : 0;
  });
  const most = Math.max(1, ...sums);
  const bars = sums.map((sum, version) => {
    if (sum === 0) return null;
    const bar = el("span", { class: version === state.version ? "bar now" : "bar" });
    bar.style.width = `clamp(1px, ${70 / versions.length}%, 5px)`;
    bar.style.left = `${sliderPlace(version)}%`;
    bar.style.height = `${Math.max(3, (16 * sum) / most)}px`;
    return bar;
  });
  put(byId("slider-bars"), bars);
}

function sliderPlace(version) {
  return newest === 0 ? 50 : (100 * version) / newest;
}
