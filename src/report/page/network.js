// The graph, drawn, and what its spectrum says of it.
const mostEdgesDrawn = 20000;
const drawingSize = 100;

function drawing(network) {
  const margin = 4;
  const place = network.positions.map(([x, y]) => [margin + x * (drawingSize - 2 * margin), margin + y * (drawingSize - 2 * margin)]);
  const low = Math.min(...place.map(([, y]) => y)) - margin;
  const high = Math.max(...place.map(([, y]) => y)) + margin;
  const skip = Math.ceil(network.edges.length / mostEdgesDrawn);
  const path = network.edges.filter((_, i) => i % skip === 0).map(([a, b]) =>
    `M${place[a].map((v) => v.toFixed(2)).join(" ")}L${place[b].map((v) => v.toFixed(2)).join(" ")}`).join("");
  const radius = Math.max(0.7, Math.min(2.6, 14 / Math.sqrt(network.nodes)));
  const crowded = Math.min(1, Math.max(0.12, 60 / network.edges.length));
  return svg("svg", { class: "drawing", viewBox: `0 ${low} ${drawingSize} ${Math.max(high - low, 12)}`, role: "img",
    "aria-label": `The graph: ${network.nodes} nodes, ${network.edges.length} edges` },
  svg("path", { class: "edges", d: path, "stroke-width": 1.2, "stroke-opacity": crowded }),
  place.map(([x, y], i) => svg("circle", { cx: x.toFixed(2), cy: y.toFixed(2), r: radius, "stroke-width": radius / 5 },
    svg("title", {}, `node ${i}, ${degrees(network)[i]} neighbours`))),
  network.nodes <= 40 ? place.map(([x, y], i) => svg("text", { x: x.toFixed(2), y: y.toFixed(2) }, String(i))) : []);
}

function degrees(network) {
  if (!network.degrees) {
    network.degrees = new Array(network.nodes).fill(0);
    for (const [a, b] of network.edges) {
      ++network.degrees[a];
      ++network.degrees[b];
    }
  }
  return network.degrees;
}

function facts(network) {
  const degree = degrees(network);
  const list = [["Nodes", grouped(network.nodes)], ["Edges", grouped(network.edges.length)],
    ["Degrees", network.nodes > 0 ? `${Math.min(...degree)} to ${Math.max(...degree)}` : missing]];
  const values = network.eigenvalues;
  if (values.length > 1) {
    const smallest = values[1];
    const largest = values[values.length - 1];
    list.push(["\u03bb\u2082, connectivity", real(smallest, 3)], ["\u03bb max", real(largest, 3)], ["\u03bb max / \u03bb\u2082", real(largest / smallest, 3)]);
  }
  return el("dl", { class: "facts" }, list.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function spectrum(network) {
  const values = network.eigenvalues;
  return figure({
    title: "Laplacian spectrum", caption: "Eigenvalues in ascending order; the first is always 0.",
    table: () => ({ columns: ["index", "eigenvalue"], rows: values.map((value, i) => [i + 1, value]) }),
    plot: () => ({ xLabel: "Index", yLabel: "Eigenvalue", logX: false, logY: false, series: [{ label: network.name || "spectrum", index: 0, unnamed: true,
      line: values.length > 200, points: values.map((y, i) => ({ x: i + 1, y: Math.abs(y) < 1e-12 ? 0 : y })) }] }),
  }).element;
}

function networkBlock(network) {
  const edges = csvButton(`Edges ${network.name}`, () => ({ columns: ["a", "b"], rows: network.edges }));
  const picture = network.positions.length > 0 ? drawing(network)
    : el("p", { class: "note" }, "This graph is too large for a drawing to tell anything.");
  const drawn = Math.ceil(network.edges.length / mostEdgesDrawn);
  return el("div", { class: "network" },
    el("figure", {}, el("div", { class: "figure-head" }, el("h3", {}, network.name || "Graph"), edges), picture,
      drawn > 1 ? el("figcaption", { class: "caption" }, `One edge in ${drawn} is drawn.`) : null),
    el("div", {}, facts(network), network.eigenvalues.length > 2 ? spectrum(network) : null));
}

function networkSection() {
  return section("network", data.networks.length > 1 ? "Networks" : "Network", data.networks.map(networkBlock));
}
