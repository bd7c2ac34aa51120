// The models: their largest coefficients, and how they do on rows that they were not trained on.
const signed = (value) => (value < 0 ? "\u2212" : "") + real(Math.abs(value), 3);

// One bar per row, from the middle to the left or right by its sign, or from the left where all have one.
function barTable(items, index, name) {
  const largest = Math.max(...items.map(({ value }) => Math.abs(value)));
  const both = items.some(({ value }) => value < 0);
  return el("table", { class: "bars", "aria-label": name }, el("tbody", {}, items.map(({ label, value, text }) => {
    const bar = el("i", { "data-dot": index, "aria-hidden": "true" });
    const share = largest > 0 ? Math.abs(value) / largest * (both ? 50 : 100) : 0;
    bar.style.width = `${share}%`;
    bar.style.left = both ? `${value < 0 ? 50 - share : 50}%` : "0";
    return el("tr", {}, el("th", { scope: "row", title: label }, label), el("td", { class: "track" }, bar),
      el("td", { class: "number" }, text));
  })));
}

function coefficientFigure(run, index) {
  const given = run.coefficients;
  if (!given) return null;
  const many = given.columns > 1;
  const facts = [`${count(given.nonzeros)} of ${count(given.rows * given.columns)} coefficients are not zero`,
    many ? `a matrix of ${count(given.rows)} x ${count(given.columns)}` : null, given.rank ? `rank ${count(given.rank)}` : null]
    .filter(Boolean).join(", ");
  const title = `Largest coefficients of ${run.label}`;
  const items = given.largest.map(({ name, output, value }) => ({ label: output ? `${name} \u2192 ${output}` : name, value, text: signed(value) }));
  return el("figure", {}, el("div", { class: "figure-head" }, el("h3", {}, items.length > 0 ? title : `Model of ${run.label}`),
    items.length > 0 ? csvButton(title, () => ({ columns: ["name", "output", "coefficient"],
      rows: given.largest.map(({ name, output, value }) => [name, output, value]) })) : null),
  el("p", { class: "caption" }, `${facts}.`), items.length > 0 ? barTable(items, index, title) : null);
}

const scoreNames = [["rows", "Rows", count], ["accuracy", "Accuracy"], ["balanced_accuracy", "Balanced accuracy"], ["auc", "AUC"],
  ["log_loss", "Log loss"], ["r2", "R\u00b2"], ["rmse", "RMSE"], ["mae", "MAE"]];

function scoresTable(scored) {
  const shown = scoreNames.filter(([key]) => scored.some(({ scores }) => scores[key] !== undefined));
  const columns = ["Model", "Rows of", ...shown.map(([, label]) => label)];
  return el("figure", {}, el("div", { class: "figure-head" }, el("h3", {}, "On rows that were not trained on"),
    csvButton("Scores", () => ({ columns: ["model", "data", ...shown.map(([key]) => key)],
      rows: scored.map(({ run, scores }) => [run.label, scores.data, ...shown.map(([key]) => scores[key])]) }))),
  table(columns.map((label, i) => ({ label, number: i > 1 })), scored.map(({ run, scores, index }) => [runName(run, index), scores.data,
    ...shown.map(([key, , show]) => (show || ((value) => real(value, 4)))(scores[key]))]), "", "Scores"));
}

// Rows by their true class; the darker, the larger the share of its row.
function confusionFigure({ run, scores }) {
  const body = scores.confusion.map((row, i) => {
    const all = row.reduce((sum, value) => sum + value, 0);
    return el("tr", {}, el("th", { scope: "row", title: scores.classes[i] }, scores.classes[i]), row.map((value, j) => {
      const cell = el("td", { class: i === j ? "number right" : "number wrong" }, count(value));
      cell.style.setProperty("--share", all > 0 ? String(Math.round(100 * value / all)) + "%" : "0%");
      return cell;
    }));
  });
  const title = `Confusion of ${run.label}, ${scores.data}`;
  return el("figure", {}, el("div", { class: "figure-head" }, el("h3", {}, title), csvButton(title, () => ({
    columns: ["true class", ...scores.classes], rows: scores.confusion.map((row, i) => [scores.classes[i], ...row]) }))),
  el("p", { class: "caption" }, "A row for each true class, a column for each predicted one."),
  el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, el("table", { class: "confusion" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "true"), scores.classes.map((name) => el("th", { scope: "col", class: "number", title: name }, name)))),
    el("tbody", {}, body))));
}

function residualFigure({ run, scores, index }) {
  const { low, high, counts } = scores.residuals;
  const width = (high - low) / counts.length;
  const title = `Residuals of ${run.label}, ${scores.data}`;
  const parts = counts.map((value, i) => ({ from: low + i * width, to: low + (i + 1) * width, value }));
  return el("figure", {}, el("div", { class: "figure-head" }, el("h3", {}, title), csvButton(title, () => ({
    columns: ["from", "to", "rows"], rows: parts.map(({ from, to, value }) => [from, to, value]) }))),
  el("p", { class: "caption" }, "How many rows were predicted too low (\u2212) or too high, and by how much."),
  barTable(parts.map(({ from, to, value }) => ({ label: signed(Math.abs(from + to) < 1e-6 * width ? 0 : (from + to) / 2), value, text: count(value) })),
    index, title));
}

const mostClassesShown = 20;

function modelSection() {
  const scored = data.runs.flatMap((run, index) => (run.scores || []).map((scores) => ({ run, scores, index })));
  const coefficients = data.runs.map(coefficientFigure).filter(Boolean);
  if (scored.length === 0 && coefficients.length === 0) return null;
  const confusions = scored.filter(({ scores }) => scores.confusion && scores.classes.length <= mostClassesShown).map(confusionFigure);
  const residuals = scored.filter(({ scores }) => scores.residuals).map(residualFigure);
  const figures = [...coefficients, ...confusions, ...residuals];
  return section("model", data.runs.length > 1 ? "Models" : "The model", scored.length > 0 ? scoresTable(scored) : null,
    el("div", { class: figures.length > 1 ? "columns" : "columns one" }, figures));
}
