// How each run went: accuracy, agreement and certificate against what was spent.
const costs = [
  { key: "data_oracle_calls", label: "Data-oracle calls" },
  { key: "communication_rounds", label: "Rounds" },
  { key: "hops", label: "Hops" },
  { key: "linear_oracle_calls", label: "Linear-oracle calls" },
  { key: "seconds", label: "Seconds" },
  { key: "step", label: "Steps" },
];
const accuracies = [
  { key: "relative_gap", label: "Relative gap" },
  { key: "gap_at_average", label: "Gap" },
  { key: "certified_gap", label: "Certified gap" },
  { key: "objective_at_average", label: "Objective" },
];
const agreements = [
  { key: "consensus_error", label: "Consensus error" },
  { key: "relative_disagreement", label: "Relative disagreement" },
  { key: "infeasibility", label: "Infeasibility" },
];

const recorded = (key) => data.runs.some((run) => (run.trace[key] || []).some((value) => isNumber(value) && value !== 0));
const labelOf = (list, key) => list.find((one) => one.key === key).label;

const view = {
  cost: "data_oracle_calls", accuracy: null, agreement: "consensus_error", certificate: "gap",
  logX: true, logY: true, hidden: new Set(),
};

function points(run, key) {
  const x = run.trace[view.cost];
  return run.trace[key].map((y, i) => {
    const passes = run.rows > 0 ? `, ${real(run.trace.data_oracle_calls[i] / run.rows, 3)} passes` : "";
    return { x: x[i], y, more: [`Step ${run.trace.step[i]}${passes}`] };
  });
}

function shownRuns() {
  return data.runs.map((run, index) => ({ run, index })).filter(({ index }) => !view.hidden.has(index));
}

function traceSeries(key, style = {}) {
  return shownRuns().map(({ run, index }) => ({ label: run.label, index, points: points(run, key), ...style }));
}

function plotOf(yKey, yLabel, logY) {
  return { xLabel: labelOf(costs, view.cost), yLabel, logX: view.logX, logY, series: traceSeries(yKey) };
}

function tableOf(...keys) {
  const columns = [...new Set(["step", view.cost, ...keys])];
  return { columns: ["label", ...columns], rows: shownRuns().flatMap(({ run }) =>
    run.trace.step.map((_, i) => [run.label, ...columns.map((key) => run.trace[key][i])])) };
}

function certificatePlot() {
  if (view.certificate === "gap") {
    const plot = plotOf("certified_gap", "Gap", view.logY);
    const truth = traceSeries("gap_at_average", { dashed: true, thin: true, unnamed: true }).filter(({ points: all }) =>
      all.some((point) => isNumber(point.y)));
    plot.series.push(...truth.map((series) => ({ ...series, label: `${series.label}, true gap` })));
    plot.note = truth.length > 0 ? "Solid: certified by the run itself. Dashed: true, by the reference optimum." : "";
    return plot;
  }
  const plot = plotOf("objective_at_average", "Objective", false);
  plot.series.push(...traceSeries("lower_bound", { dashed: true, unnamed: true }).map((series) =>
    ({ ...series, label: `${series.label}, lower bound` })));
  plot.note = "Solid: the objective at the average. Dashed: the lower bound; the optimum lies between.";
  return plot;
}

function seriesChips(redraw) {
  return el("div", { class: "chips", role: "group", "aria-label": "Runs shown" }, data.runs.map((run, index) => {
    const mark = el("i", { "aria-hidden": "true", "data-series": index });
    const chip = el("button", { type: "button", class: "chip", "aria-pressed": "true", on: { click: () => {
      if (view.hidden.has(index)) view.hidden.delete(index); else view.hidden.add(index);
      chip.setAttribute("aria-pressed", String(!view.hidden.has(index)));
      redraw();
    } } }, mark, run.label);
    return chip;
  }));
}

function progressSection() {
  const available = accuracies.filter(({ key }) => recorded(key));
  view.accuracy = available.length > 0 ? available[0].key : "objective_at_average";
  const charts = [];
  const redraw = () => charts.forEach((chart) => chart.draw());
  const set = (name) => (value) => {
    view[name] = value;
    redraw();
  };

  charts.push(figure({
    title: "Accuracy", tall: true, table: () => tableOf(...available.map(({ key }) => key)),
    plot: () => plotOf(view.accuracy, labelOf(accuracies, view.accuracy), view.logY && view.accuracy !== "objective_at_average"),
    choice: available.length < 2 ? null : picker("Accuracy measured by", available, view.accuracy, set("accuracy")),
  }));
  charts.push(figure({
    title: "Consensus", table: () => tableOf("consensus_error", "relative_disagreement"),
    plot: () => plotOf(view.agreement, labelOf(agreements, view.agreement), view.logY),
    choice: picker("Consensus measured by", agreements, view.agreement, set("agreement")),
  }));
  if (recorded("lower_bound") || recorded("certified_gap")) {
    charts.push(figure({
      title: "Certificate", table: () => tableOf("objective_at_average", "lower_bound", "certified_gap", "gap_at_average"), plot: certificatePlot,
      choice: picker("Certificate shown as", [{ key: "gap", label: "Certified gap" }, { key: "bounds", label: "Bounds" }],
        view.certificate, set("certificate")),
    }));
  }
  const [accuracy, ...others] = charts;
  return section("progress", "Progress",
    el("div", { class: "controls" },
      segments("Against", costs.map((cost) => ({ ...cost, disabled: !recorded(cost.key) })), view.cost, set("cost")),
      tick("log x", view.logX, set("logX")), tick("log y", view.logY, set("logY"))),
    data.runs.length > 1 ? seriesChips(redraw) : null,
    el("div", { class: "columns one" }, accuracy.element),
    el("div", { class: others.length > 1 ? "columns" : "columns one" }, others.map((chart) => chart.element)));
}
