// Every number of the page as CSV (RFC 4180), at full precision.
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  // A spreadsheet would run text that begins like a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function csvText(columns, rows) {
  return [columns, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function fileName(title) {
  return (title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "table") + ".csv";
}

// `table` is a function: what is shown may have changed since the button was made.
function csvButton(title, table) {
  return el("button", { type: "button", class: "quiet csv", "aria-label": `Download ${title} as CSV`, on: { click: () => {
    const { columns, rows } = table();
    download(fileName(title), csvText(columns, rows));
  } } }, "CSV");
}

// All runs' traces as one long table.
function traceTable() {
  const keys = [...new Set(data.runs.flatMap((run) => Object.keys(run.trace)))];
  const rows = data.runs.flatMap((run) => run.trace.step.map((_, i) =>
    [run.label, run.method, ...keys.map((key) => (run.trace[key] ? run.trace[key][i] : null))]));
  return { columns: ["label", "method", ...keys], rows };
}
