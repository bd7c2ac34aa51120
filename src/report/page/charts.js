// Charts: what all of them share, so that they look like one hand drew them.
const palette = 8;
const figures = [];  // every chart of the page, to be drawn again when colours or sizes change
const mostPoints = 800;  // more than a screen can tell apart

function cssValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const seriesColor = (index) => cssValue(`--s${index % palette}`);
const seriesDash = (index) => (index < palette ? [] : index < 2 * palette ? [7, 3] : [2, 3]);

// A logarithmic axis shows powers of ten, and 2 and 5 between them where there are few.
function logTick(value, _, ticks) {
  const exponent = Math.log10(value);
  const decades = Math.log10(ticks[ticks.length - 1].value / ticks[0].value);
  if (Math.abs(exponent - Math.round(exponent)) < 1e-9) {
    const step = Math.max(1, Math.ceil(decades / 8));
    const whole = Math.round(exponent);
    if (whole % step !== 0) return "";
    return whole >= -1 && whole <= 2 ? String(Number((10 ** whole).toPrecision(1))) : power(whole);
  }
  const leading = Math.round(value / 10 ** Math.floor(exponent + 1e-9));
  return decades < 1.6 && (leading === 2 || leading === 5) ? axisNumber(value) : "";
}

// Lines of the grid where a number stands, and nowhere else.
function gridColor(color, logarithmic) {
  return logarithmic ? (context) => (context.tick && context.tick.label ? color : "transparent") : color;
}

function axis(title, logarithmic) {
  return {
    type: logarithmic ? "logarithmic" : "linear",
    title: { display: true, text: title, color: cssValue("--soft"), font: { size: 12.5 } },
    border: { display: false },
    grid: { color: gridColor(cssValue("--hair"), logarithmic), borderColor: cssValue("--faint"), drawTicks: false },
    ticks: { color: cssValue("--soft"), padding: 8, maxRotation: 0, autoSkip: !logarithmic, maxTicksLimit: logarithmic ? 100 : 8,
      callback: logarithmic ? logTick : axisNumber },
  };
}

// Evenly spread over the order of the points' logarithm, first and last always kept.
function thinned(points) {
  if (points.length <= mostPoints) return points;
  const kept = new Set([0, points.length - 1]);
  for (let i = 0; i < mostPoints / 2; ++i) {
    kept.add(Math.round((points.length - 1) * i / (mostPoints / 2)));
    kept.add(Math.round(points.length ** (i / (mostPoints / 2))) - 1);
  }
  return [...kept].sort((a, b) => a - b).map((i) => points[i]);
}

// Names the lines at their right ends; labels that would overlap move apart.
const endLabels = {
  id: "endLabels",
  afterDatasetsDraw(chart, _, options) {
    if (!options.show) return;
    const ends = [];
    chart.data.datasets.forEach((set, i) => {
      const drawn = chart.getDatasetMeta(i);
      const last = drawn.data[drawn.data.length - 1];
      if (set.endLabel && last && !drawn.hidden) ends.push({ text: set.endLabel, color: set.borderColor, x: last.x, y: last.y });
    });
    ends.sort((a, b) => a.y - b.y);
    const gap = 15;
    for (let i = 1; i < ends.length; ++i) ends[i].y = Math.max(ends[i].y, ends[i - 1].y + gap);
    for (let i = ends.length - 1, floor = chart.chartArea.bottom; i >= 0; --i, floor -= gap) ends[i].y = Math.min(ends[i].y, floor);
    const context = chart.ctx;
    context.save();
    context.font = `600 12px ${cssValue("--body")}`;
    context.textBaseline = "middle";
    for (const end of ends) {
      context.fillStyle = end.color;
      context.fillText(end.text, Math.min(end.x + 7, chart.chartArea.right + 7), end.y);
    }
    context.restore();
  },
};

function shortLabel(text, most = 20) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`;
}

function labelRoom(labels) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `600 12px ${cssValue("--body")}`;
  return Math.max(0, ...labels.map((label) => context.measureText(label).width)) + 12;
}

function tooltip(plot) {
  return {
    backgroundColor: cssValue("--panel"), borderColor: cssValue("--faint"), borderWidth: 1, padding: 10, cornerRadius: 8,
    titleColor: cssValue("--ink"), bodyColor: cssValue("--soft"), usePointStyle: true, boxPadding: 4,
    callbacks: {
      title: (items) => (items.length > 0 ? items[0].dataset.label : ""),
      label: (item) => [`${plot.yLabel}: ${real(item.raw.y)}`, `${plot.xLabel}: ${real(item.raw.x)}`, ...(item.raw.more || [])],
    },
  };
}

// A plot is { series: [{ label, index, points, dashed, line, thin }], xLabel, yLabel, logX, logY }.
function lineConfig(plot, width) {
  const named = plot.series.filter((series) => series.points.length > 0 && !series.unnamed);
  const showEnds = width > 620 && named.length > 0 && named.length <= 10;
  return {
    type: "line",
    data: { datasets: plot.series.map((series) => ({
      label: series.label, endLabel: series.unnamed ? null : shortLabel(series.label), data: thinned(series.points),
      borderColor: seriesColor(series.index), backgroundColor: seriesColor(series.index),
      borderWidth: series.thin ? 1.25 : 2, borderDash: series.dashed ? [5, 4] : seriesDash(series.index),
      showLine: series.line !== false, pointRadius: series.line === false || series.points.length < 2 ? 3.5 : series.marks ? 3 : 0,
      pointHoverRadius: 5, pointHitRadius: 12, tension: 0,
    })) },
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: false,
      interaction: { mode: "nearest", intersect: false, axis: "xy" },
      layout: { padding: { right: showEnds ? labelRoom(named.map((series) => shortLabel(series.label))) : 8, top: 6 } },
      font: { family: cssValue("--body") },
      scales: { x: axis(plot.xLabel, plot.logX), y: axis(plot.yLabel, plot.logY) },
      plugins: { legend: { display: false }, tooltip: tooltip(plot), endLabels: { show: showEnds } },
    },
    plugins: [endLabels],
  };
}

function barConfig(plot) {
  const x = axis(plot.xLabel, false);
  x.type = "category";
  x.grid.display = false;
  x.ticks.maxTicksLimit = 40;
  delete x.ticks.callback;
  const y = axis(plot.yLabel, false);
  y.beginAtZero = true;
  return {
    type: "bar",
    data: { labels: plot.labels, datasets: plot.series.map((series) => ({
      label: series.label, data: series.values, backgroundColor: seriesColor(series.index), borderWidth: 0,
      categoryPercentage: 0.76, barPercentage: 0.92, maxBarThickness: 26, borderRadius: 2,
    })) },
    options: {
      animation: false, responsive: true, maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false }, scales: { x, y },
      plugins: { legend: { display: false }, tooltip: { ...tooltip(plot), callbacks: {
        title: (items) => `${plot.xLabel} ${items[0].label}`,
        label: (item) => ` ${item.dataset.label}: ${real(item.raw)}`,
      } } },
    },
  };
}

// Paper has its own width, which nobody tells: drawn once at a fixed size, and scaled as a picture.
function onPaper(canvas, config, tall) {
  const wide = tall || canvas.closest(".columns:not(.one), .network") === null;
  [canvas.width, canvas.height] = wide ? [780, tall ? 380 : 300] : [400, 270];
  config.options.responsive = false;
  config.options.devicePixelRatio = 2;
}

// What a logarithmic axis cannot show is left out, and said; but not of the start, where nothing is spent.
function onAxes(plot) {
  let left = 0;
  const shown = (point) => {
    const good = isNumber(point.x) && isNumber(point.y) && !(plot.logX && point.x <= 0) && !(plot.logY && point.y <= 0);
    if (!good && isNumber(point.x) && isNumber(point.y) && point.y <= 0 && point.x > 0) ++left;
    return good;
  };
  const series = plot.series.map((one) => ({ ...one, points: one.points.filter(shown) }));
  return { plot: { ...plot, series }, left };
}

// A figure with its title, chart, note and CSV. `plot()` says what to draw now, `table()` what it holds in numbers.
function figure({ title, caption, tall, plot, table, choice, extra }) {
  const canvas = el("canvas", { role: "img", "aria-label": title });
  const note = el("p", { class: "caption" });
  const one = { chart: null, draw() {
    const wanted = plot();
    const { plot: drawn, left } = wanted.bars ? { plot: wanted, left: 0 } : onAxes(wanted);
    const config = wanted.bars ? barConfig(drawn) : lineConfig(drawn, one.printing ? (tall ? 780 : 0) : canvas.parentElement.clientWidth);
    if (one.chart) one.chart.destroy();
    if (one.printing) onPaper(canvas, config, tall);
    one.chart = new Chart(canvas, config);
    const names = drawn.series.map((series) => series.label).join(", ");
    canvas.setAttribute("aria-label", `${title}: ${drawn.yLabel} against ${drawn.xLabel} for ${names}. The numbers are in the CSV beside it.`);
    note.textContent = [caption, drawn.note, left > 0
      ? `${left} ${left === 1 ? "point" : "points"} at or below zero cannot be drawn on a logarithmic axis.` : ""].filter(Boolean).join(" ");
  } };
  figures.push(one);
  one.element = el("figure", {},
    el("div", { class: "figure-head" }, el("h3", {}, title), choice, csvButton(title, table)), extra,
    el("div", { class: tall ? "canvas tall" : "canvas" }, canvas), el("figcaption", {}, note));
  return one;
}

function drawAll(printing = false) {
  Chart.defaults.font.family = cssValue("--body");
  for (const one of figures) {
    one.printing = printing;
    one.draw();
  }
}

function legend(series) {
  const kind = ({ line, dashed }) => (line === false ? "dots" : dashed ? "dashed" : null);
  return el("ul", { class: "legend" }, series.map((one, index) =>
    el("li", {}, el("i", { class: kind(one), "data-series": index, "aria-hidden": "true" }), one.label)));
}

// A chart that came with the page's data. It may have no room for names at the ends of lines: they stand above it.
function givenChart(chart) {
  const rows = chart.series.flatMap((series) => series.x.map((x, i) => [series.label, x, series.y[i]]));
  return figure({
    title: chart.title, caption: chart.caption, extra: chart.series.length > 1 ? legend(chart.series) : null,
    table: () => ({ columns: ["series", chart.x_label, chart.y_label], rows }),
    plot: () => ({ xLabel: chart.x_label, yLabel: chart.y_label, logX: chart.log_x, logY: chart.log_y,
      series: chart.series.map((series, index) => ({ label: series.label, index, line: series.line, dashed: series.dashed,
        marks: series.x.length <= 30 && !series.dashed, points: series.x.map((x, i) => ({ x, y: series.y[i] })) })) }),
  });
}
