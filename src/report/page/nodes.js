// What each node spent.
const nodeCosts = [
  { key: "data_oracle_calls", label: "Data-oracle calls" },
  { key: "linear_oracle_calls", label: "Linear-oracle calls" },
  { key: "messages", label: "Messages sent" },
  { key: "bytes_sent", label: "Bytes sent" },
  { key: "data_oracle_accesses", label: "Data-oracle accesses" },
];
const mostBars = 400;

function nodesSection() {
  const runs = data.runs.map((run, index) => ({ run, index })).filter(({ run }) => run.nodes.length > 0);
  if (runs.length === 0) return null;
  const available = nodeCosts.filter(({ key }) => runs.some(({ run }) => run.nodes.some((node) => node[key] > 0)));
  if (available.length === 0) return null;
  let cost = available[0].key;
  const longest = Math.max(...runs.map(({ run }) => run.nodes.length));
  const chart = figure({
    title: "Cost by node",
    table: () => ({ columns: ["label", "node", ...nodeCosts.map(({ key }) => key)],
      rows: runs.flatMap(({ run }) => run.nodes.map((node, i) => [run.label, i, ...nodeCosts.map(({ key }) => node[key])])) }),
    plot: () => {
      const yLabel = labelOf(nodeCosts, cost);
      if (longest * runs.length > mostBars) {
        return { xLabel: "Node", yLabel, logX: false, logY: false, series: runs.map(({ run, index }) => ({ label: run.label, index,
          points: run.nodes.map((node, i) => ({ x: i, y: node[cost] })) })) };
      }
      return { bars: true, xLabel: "Node", yLabel, labels: Array.from({ length: longest }, (_, i) => i),
        series: runs.map(({ run, index }) => ({ label: run.label, index, values: run.nodes.map((node) => node[cost]) })) };
    },
    extra: el("div", { class: "controls" }, segments("Show", available, cost, (key) => {
      cost = key;
      chart.draw();
    }), el("div", { class: "chips" }, runs.length < 2 ? [] : runs.map(({ run, index }) =>
      el("span", { class: "tick" }, el("i", { class: "key", "data-dot": index, "aria-hidden": "true" }), run.label)))),
  });
  return section("nodes", "Nodes", chart.element);
}
