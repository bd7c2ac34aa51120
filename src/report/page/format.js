// Numbers as people read them. What a CSV holds is never formatted.
const superscripts = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075",
  6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };
const missing = "\u2013";

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

function grouped(value) {
  return Math.round(value).toLocaleString("en-US");
}

// 4 significant digits, an exponent where zeros would have to be counted.
function real(value, digits = 4) {
  if (!isNumber(value)) return missing;
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size < 1e-3 || size >= 1e7) return value.toExponential(Math.min(digits - 1, 2)).replace("e+", "e");
  return Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(digits)));
}

function count(value) {
  if (!isNumber(value)) return missing;
  if (value >= 1e12) return `${(value / 1e12).toFixed(2)} T`;
  if (value >= 1e10) return `${(value / 1e9).toFixed(1)} G`;
  return value >= 1e7 ? `${(value / 1e6).toFixed(1)} M` : grouped(value);
}

function bytes(value) {
  if (!isNumber(value)) return missing;
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  let scaled = value;
  while (scaled >= 1000 && unit < units.length - 1) {
    scaled /= 1000;
    ++unit;
  }
  return `${unit === 0 ? scaled : scaled.toFixed(scaled < 10 ? 2 : scaled < 100 ? 1 : 0)} ${units[unit]}`;
}

function seconds(value) {
  if (!isNumber(value)) return missing;
  if (value < 1e-3) return `${(value * 1e6).toFixed(0)} \u00b5s`;
  if (value < 1) return `${(value * 1e3).toFixed(value < 0.1 ? 1 : 0)} ms`;
  return value < 600 ? `${value.toFixed(value < 10 ? 2 : 1)} s` : `${(value / 60).toFixed(1)} min`;
}

function statusName(status) {
  return status.replace(/_/g, " ");
}

// 10 to the n as a tick: the exponent raised.
function power(exponent) {
  return "10" + String(exponent).split("").map((digit) => superscripts[digit]).join("");
}

function axisNumber(value) {
  const size = Math.abs(value);
  if (value === 0) return "0";
  if (size >= 1e9) return `${Number((value / 1e9).toPrecision(3))} G`;
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return size < 1e-3 ? Number(value.toPrecision(3)).toExponential() : String(Number(value.toPrecision(4)));
}
