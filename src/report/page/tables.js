// Tables: of the runs' ends, of their settings, and those that came with the data.
const longText = 40;  // characters of a cell that wants room to be read

function table(columns, rows, caption, name) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name || caption || "Table" },
    el("table", {}, caption ? el("caption", {}, caption) : null,
      el("thead", {}, el("tr", {}, columns.map((column) => el("th", { scope: "col", class: column.number ? "number" : null }, column.label)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) =>
        (i === 0 ? el("th", { scope: "row", title: typeof cell === "string" ? cell : null, class: columns[0].number ? "number" : null }, cell)
          : el("td", { class: columns[i].number ? "number" : typeof cell === "string" && cell.length > longText ? "long" : null }, cell))))))));
}

// A table that goes on beyond the right edge says so, until it is seen to its end.
function setUpCues() {
  for (const box of document.querySelectorAll(".scroll")) {
    const cue = el("p", { class: "cue", "aria-hidden": "true", hidden: true }, "scroll for more \u2192");
    box.after(cue);
    const look = () => {
      const more = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
      box.classList.toggle("more", more);
      cue.hidden = !more;
    };
    box.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(box);
    new ResizeObserver(look).observe(box.firstChild);
  }
}

const last = (run, key) => (run.trace[key] ? run.trace[key][run.trace[key].length - 1] : null);

const summaryColumns = [
  { key: "objective_at_average", label: "Objective", show: (value) => real(value, 6) },
  { key: "gap_at_average", label: "Gap", show: (value) => real(value, 3) },
  { key: "relative_gap", label: "Relative gap", show: (value) => real(value, 3) },
  { key: "certified_gap", label: "Certified gap", show: (value) => real(value, 3) },
  { key: "consensus_error", label: "Consensus error", show: (value) => real(value, 3) },
  { key: "data_oracle_calls", label: "Data-oracle calls", show: count },
  { key: "rows_read", label: "Rows read in all", show: count },
  { key: "passes", label: "Passes", show: (value) => real(value, 3) },
  { key: "communication_rounds", label: "Rounds", show: count },
  { key: "hops", label: "Hops", show: count },
  { key: "bytes_sent", label: "Sent", show: bytes },
  { key: "linear_oracle_calls", label: "Linear-oracle calls", show: count },
  { key: "active_set_size", label: "Active set", show: count },
  { key: "inner_wolfe_gap", label: "Inner Wolfe gap", show: (value) => real(value, 3) },
  { key: "seconds", label: "Time", show: seconds },
];

function summaryValue(run, key) {
  if (key === "rows_read") return isNumber(run.rows_read) ? run.rows_read + (run.rows_read_in_opening || 0) : null;
  return key === "passes" ? (run.rows > 0 ? last(run, "data_oracle_calls") / run.rows : null) : last(run, key);
}

const mostRunsAcross = 5;  // with more, a run is a row

function runName(run, index) {
  return el("span", {}, el("i", { class: "key", "aria-hidden": "true", "data-dot": index }), run.label);
}

// Few runs stand side by side, which a phone can show; many stand beneath each other.
function summaryTable(shown) {
  const facts = [
    { label: "Ended", show: (run) => statusName(run.status) },
    { label: "Steps", show: (run) => count(last(run, "step")) },
    ...shown.map(({ key, label, show }) => ({ label, show: (run) => show(summaryValue(run, key)) }))];
  if (data.runs.length <= mostRunsAcross) {
    const wide = table([{ label: "" }, ...data.runs.map((run, index) => ({ label: runName(run, index), number: true }))],
      facts.map(({ label, show }) => [label, ...data.runs.map(show)]), "", "Summary");
    wide.firstChild.classList.add("across");
    wide.firstChild.style.minWidth = `${8 + 6.5 * data.runs.length}rem`;
    wide.firstChild.style.maxWidth = `${12 + 14 * data.runs.length}rem`;
    return wide;
  }
  return table([{ label: "Run" }, ...facts.map(({ label }, i) => ({ label, number: i > 0 }))],
    data.runs.map((run, index) => [runName(run, index), ...facts.map(({ show }) => show(run))]), "", "Summary");
}

function summarySection() {
  const shown = summaryColumns.filter(({ key }) => data.runs.some((run) => isNumber(summaryValue(run, key))));
  const keys = [...new Set(data.runs.flatMap((run) => Object.keys(run.trace)))].filter((key) => key !== "step");
  const all = () => ({ columns: ["label", "method", "status", "outer_steps", ...keys],
    rows: data.runs.map((run) => [run.label, run.method, run.status, last(run, "step"), ...keys.map((key) => last(run, key))]) });
  return section("summary", "Summary",
    el("div", { class: "figure-head" }, el("p", { class: "caption" }, "Where each run ended, and what it had spent by then, over all nodes."),
      csvButton("Summary", all)),
    summaryTable(shown));
}

function settingsTable() {
  const keys = [...new Set(data.runs.flatMap((run) => run.settings.map(([key]) => key)))];
  if (keys.length === 0) return null;
  const value = (run, key) => (run.settings.find(([name]) => name === key) || [key, missing])[1];
  const columns = ["Run", "method", ...keys];
  const rows = data.runs.map((run) => [run.label, run.method, ...keys.map((key) => value(run, key))]);
  return el("div", {}, el("div", { class: "figure-head" }, el("h3", {}, "Settings"), csvButton("Settings", () => ({ columns, rows }))),
    table(columns.map((label) => ({ label })), rows));
}

function setupSection() {
  const problem = data.problem.length > 0 ? el("ul", { class: "problem" }, data.problem.map((line) => el("li", {}, line))) : null;
  const settings = data.runs.length > 0 ? settingsTable() : null;
  const configs = data.configs.map(({ name, text }) =>
    el("details", {}, el("summary", {}, name), el("pre", { tabindex: "0" }, text)));
  if (!problem && !settings && configs.length === 0) return null;
  return section("setup", "What was run", problem, settings, configs);
}

function givenTable(given) {
  const numeric = given.columns.map((_, i) => given.rows.length > 0 && given.rows.every((row) =>
    typeof row[i] === "number" || row[i] === null || /^[<>~]?\s*[-+]?[\d.,]/.test(String(row[i])) || /^(|-|\u2013)$/.test(String(row[i]))));
  const columns = given.columns.map((label, i) => ({ label, number: numeric[i] && i > 0 }));
  const rows = given.rows.map((row) => row.map((cell) => (typeof cell === "string" ? cell : real(cell))));
  return el("figure", {}, el("div", { class: "figure-head" }, el("h3", {}, given.title),
    csvButton(given.title, () => ({ columns: given.columns, rows: given.rows }))),
    given.caption ? el("p", { class: "caption" }, given.caption) : null, table(columns, rows));
}

function givenSection(given, index) {
  const charts = given.charts.map((chart) => givenChart(chart).element);
  return section(`part-${index + 1}`, given.title, given.paragraphs.map((text) => el("p", {}, text)), given.tables.map(givenTable),
    charts.length > 0 ? el("div", { class: charts.length > 1 ? "columns" : "columns one" }, charts) : null);
}
