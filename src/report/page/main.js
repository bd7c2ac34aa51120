// Puts the page together, and keeps it right when colours or paper change.
const mostFindings = 6;

function colour() {
  document.querySelectorAll("[data-series]").forEach((mark) => { mark.style.color = seriesColor(Number(mark.dataset.series)); });
  document.querySelectorAll("[data-dot]").forEach((dot) => { dot.style.background = seriesColor(Number(dot.dataset.dot)); });
  document.querySelectorAll(".finding.run").forEach((item) => {
    const color = seriesColor(Number(item.dataset.run));
    item.style.borderColor = color;
    item.querySelector("strong").style.color = color;
  });
}

const darkPreferred = window.matchMedia("(prefers-color-scheme: dark)");
const themeButton = document.getElementById("theme");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : darkPreferred.matches;
}

function applyTheme(printing = false) {
  themeButton.textContent = isDark() ? "Light" : "Dark";
  themeButton.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  colour();
  drawAll(printing);
}

function remembered(theme) {
  try {  // a page opened from a file may not be allowed to remember
    if (theme) localStorage.setItem("slidemesh-theme", theme);
    return localStorage.getItem("slidemesh-theme");
  } catch (_) {
    return null;
  }
}

function setUpTheme() {
  const before = remembered();
  if (before === "dark" || before === "light") document.documentElement.dataset.theme = before;
  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    remembered(document.documentElement.dataset.theme);
    applyTheme();
  });
  darkPreferred.addEventListener("change", () => applyTheme());
}

// Paper is light whatever the screen is; a canvas does not know that by itself.
function setUpPrinting() {
  let theme;
  window.addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    document.documentElement.dataset.printing = "true";
    applyTheme(true);
  });
  window.addEventListener("afterprint", () => {
    delete document.documentElement.dataset.printing;
    if (theme) document.documentElement.dataset.theme = theme; else delete document.documentElement.dataset.theme;
    applyTheme();
  });
}

// The first screen has room for a few sentences; the others open beneath them.
function foldFindings() {
  const list = document.querySelector(".findings");
  const all = [...list.children];
  if (all.length === 0) list.remove();
  if (all.length <= mostFindings + 1) return;
  const rest = all.slice(mostFindings);
  list.append(el("li", {}, el("details", {}, el("summary", {}, `${rest.length} more`), el("ul", {}, rest))));
}

// Of one run its model comes first, of several how they compare.
function mainSections() {
  return data.runs.length === 1 ? [modelSection(), progressSection(), summarySection()] : [progressSection(), summarySection(), modelSection()];
}

function build() {
  const runs = data.runs.length > 0;
  const parts = [
    ...data.sections.map(givenSection),
    ...(runs ? mainSections() : []),
    data.networks.length > 0 ? networkSection() : null,
    runs ? nodesSection() : null,
    setupSection(),
  ].filter(Boolean);
  document.getElementById("sections").append(...parts);
  const nav = document.getElementById("contents");
  nav.append(...contents.map(([id, title]) => el("a", { href: `#${id}` }, title)));
  nav.hidden = contents.length < 2;
  const foot = document.getElementById("foot");
  foot.append(el("span", {}, "Made by slidemesh. This file is complete: it opens without a network."));
  if (runs) {
    const all = csvButton("trace of all runs", traceTable);
    all.textContent = "Every recorded number as CSV";
    foot.append(all);
  }
}

setUpTheme();
foldFindings();
build();
setUpCues();
setUpPrinting();
applyTheme();
document.documentElement.dataset.ready = "true";
