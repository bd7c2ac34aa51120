"""The report page in headless Chromium: charts are drawn, toggles work, nothing is fetched, nothing is injected.

    report_page_test.py MAKE_SAMPLE_REPORT
"""

import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import webdriver  # noqa: E402

# What each chart looks like, so that two looks can be compared; and how much of it is drawn on. Read from a
# copy, since a browser warns of charts that are read often.
PICTURES = """
return [...document.querySelectorAll("canvas")].map((canvas) => {
  const title = canvas.closest("figure").querySelector("h3").textContent;
  if (arguments[0] && title !== arguments[0]) return { title };
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  let hash = 0, drawn = 0;
  const colours = new Set();
  for (let i = 0; i < pixels.length; ++i) {
    if (pixels[i] !== 0) {
      ++drawn;
      hash = (Math.imul(hash, 31) + pixels[i] + i) | 0;
      if (colours.size < 100) colours.add(pixels[i]);
    }
  }
  return { title, hash, drawn, colours: colours.size };
});
"""
LEAST_DRAWN = 500  # pixels of a chart that has something on it
CHOOSE = "document.querySelector(`input[type=radio][value='${arguments[0]}']`).click();"
TICK = "[...document.querySelectorAll('label.tick')].find((l) => l.textContent.trim() === arguments[0]).querySelector('input').click();"
PRESS = "[...document.querySelectorAll('button')].find((b) => (b.getAttribute('aria-label') || b.textContent) === arguments[0]).click();"
PICK = """
const select = document.querySelectorAll("select")[arguments[0]];
select.value = arguments[1];
select.dispatchEvent(new Event("change"));
"""


class ReportPage(unittest.TestCase):
    sample_maker = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="slidemesh-report-")
        cls.directory = pathlib.Path(cls.folder.name)
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([cls.sample_maker, str(cls.directory / "run")], check=True, timeout=60)
        cls.downloads = cls.directory / "downloads"
        cls.downloads.mkdir()
        cls.browser = webdriver.Browser(cls.downloads)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.set_size(1280, 900)
        self.browser.prefer("light")
        self.load("report.html")

    def tearDown(self):
        """Whatever a test did: the page complained of nothing, and asked nobody for anything."""
        self.run_script("localStorage.clear()")
        complaints = [entry["message"] for entry in self.browser.log("browser")]
        asked = [json.loads(entry["message"])["message"] for entry in self.browser.log("performance")]
        addresses = [
            message["params"]["request"]["url"] for message in asked if message["method"] == "Network.requestWillBeSent"
        ]
        self.assertEqual(complaints, [])
        self.assertTrue(addresses, "expected the page itself in the log of requests, got nothing")
        foreign = [address for address in addresses if not address.startswith(("file:", "data:", "blob:"))]
        self.assertEqual(foreign, [])

    def load(self, name):
        self.browser.open((self.directory / "run" / name).as_uri())
        self.assertEqual(self.run_script("return document.documentElement.dataset.ready"), "true")

    def run_script(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def pictures(self):
        return self.run_script(PICTURES, None)

    def picture(self, title):
        return next(picture for picture in self.run_script(PICTURES, title) if picture["title"] == title)

    def trace(self):
        text = (self.directory / "run" / "trace.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def downloaded(self, label, name):
        target = self.downloads / name
        target.unlink(missing_ok=True)
        self.run_script(PRESS, label)
        for _ in range(100):  # the browser makes the file before it has anything to put there
            if target.exists() and target.stat().st_size > 0 and not list(self.downloads.glob("*.crdownload")):
                break
            time.sleep(0.1)
        with target.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        return rows[0], [dict(zip(rows[0], row)) for row in rows[1:]]

    def test_first_screen_tells_the_story_even_without_scripts(self):
        page = (self.directory / "run" / "report.html").read_text(encoding="utf-8")
        self.assertIn("<strong>ipds</strong> reached its target, a relative gap of", page)
        bottom = self.run_script("return document.querySelector('.findings').getBoundingClientRect().bottom")
        self.assertLess(bottom, 900)
        findings = self.run_script("return [...document.querySelectorAll('.finding.run')].map((f) => f.textContent)")
        self.assertEqual(len(findings), 4)
        self.assertRegex(findings[1], r"^ipds-vr reached a relative gap of \d\.\de-6 with 105,000 data-oracle calls \(5\.2 passes\)")

    def test_what_was_asked_and_whether_it_was_reached_comes_first(self):
        first = self.run_script("return [...document.querySelectorAll('.findings > li')].map((item) => item.textContent)")
        self.assertRegex(first[0], r"^Asked for certified_gap = 0.001 \(relative\): reached by ipds, which has a certified gap of 9.3e-04 \(relative\); "
                         r"not reached by ipds-vr, which has [^;]*\.$")
        self.assertIn("held out", first[1])

    def test_of_several_runs_the_comparison_comes_before_the_models(self):
        sections = self.run_script("return [...document.querySelectorAll('#sections > section')].map((section) => section.id)")
        self.assertLess(sections.index("progress"), sections.index("summary"))
        self.assertLess(sections.index("summary"), sections.index("model"))

    def test_the_largest_coefficients_are_bars_to_both_sides(self):
        self.browser.set_size(360, 800)
        self.load("report.html")
        bars = self.run_script("""
            return [...document.querySelector("#model table.bars").querySelectorAll("tr")].map((row) => {
              const [track, bar] = [row.querySelector(".track"), row.querySelector("i")].map((part) => part.getBoundingClientRect());
              return { name: row.querySelector("th").textContent, from: (bar.left - track.left) / track.width, to: (bar.right - track.left) / track.width,
                seen: bar.height > 2 && track.width > 40 };
            });""")
        self.assertEqual(len(bars), 3)
        self.assertTrue(all(bar["seen"] for bar in bars), bars)
        for bar, (low, high) in zip(bars, [(0.5, 1.0), (0.25, 0.5), (0.5, 0.625)]):
            self.assertAlmostEqual(bar["from"], low, delta=0.02)
            self.assertAlmostEqual(bar["to"], high, delta=0.02)
        self.assertIsNone(self.run_script("return window.injected || null"))

    def test_held_out_scores_confusion_and_residuals(self):
        text = self.run_script("return document.getElementById('model').innerText")
        for part in ("On rows that were not trained on", "held out", "0.9", "0.875", "0.96", "test.csv", "rank 5", "1,200 of 1,200"):
            self.assertIn(part, text)
        cells = self.run_script("return [...document.querySelectorAll('table.confusion td')].map((cell) => [cell.textContent, cell.className])")
        self.assertEqual(cells, [["60", "number right"], ["5", "number wrong"], ["5", "number wrong"], ["30", "number right"]])
        _, rows = self.downloaded("Download Residuals of ipds-vr, test.csv as CSV", "residuals-of-ipds-vr-test-csv.csv")
        self.assertEqual([row["rows"] for row in rows], ["5", "10", "20", "10", "5"])
        self.assertEqual(float(rows[0]["from"]), -6.0)

    def test_rows_read_stand_beside_charged_calls(self):
        text = self.run_script("return document.getElementById('summary').innerText")
        self.assertIn("Rows read in all", text)
        self.assertIn("3,020,000", text)

    def test_every_chart_is_drawn(self):
        pictures = self.pictures()
        titles = [picture["title"] for picture in pictures]
        self.assertEqual(titles, ["Accuracy", "Consensus", "Certificate", "Laplacian spectrum", "Cost by node"])
        for picture in pictures:
            self.assertGreater(picture["drawn"], LEAST_DRAWN, picture["title"])
            self.assertGreater(picture["colours"], 2, picture["title"])

    def test_each_cost_gives_another_picture_and_the_first_comes_back(self):
        seen = {"data_oracle_calls": self.picture("Accuracy")["hash"]}
        for cost in ("communication_rounds", "linear_oracle_calls", "seconds", "step"):
            self.run_script(CHOOSE, cost)
            seen[cost] = self.picture("Accuracy")["hash"]
        self.assertEqual(len(set(seen.values())), 5, seen)
        self.run_script(CHOOSE, "data_oracle_calls")
        self.assertEqual(self.picture("Accuracy")["hash"], seen["data_oracle_calls"])

    def test_axes_toggle_between_logarithmic_and_linear(self):
        kinds = "const c = Chart.getChart(document.querySelector('canvas')); return [c.scales.x.type, c.scales.y.type]"
        self.assertEqual(self.run_script(kinds), ["logarithmic", "logarithmic"])
        before = self.picture("Accuracy")["hash"]
        self.run_script(TICK, "log y")
        self.assertEqual(self.run_script(kinds), ["logarithmic", "linear"])
        self.run_script(TICK, "log x")
        self.assertEqual(self.run_script(kinds), ["linear", "linear"])
        self.assertNotEqual(self.picture("Accuracy")["hash"], before)

    def test_a_run_can_be_hidden_and_shown(self):
        shown = "return Chart.getChart(document.querySelector('canvas')).data.datasets.map((d) => d.label)"
        before = self.picture("Accuracy")["hash"]
        self.run_script("document.querySelectorAll('.chip')[2].click()")
        self.assertNotIn("defw", self.run_script(shown))
        self.assertEqual(self.run_script("return document.querySelectorAll('.chip')[2].getAttribute('aria-pressed')"), "false")
        self.assertNotEqual(self.picture("Accuracy")["hash"], before)
        self.run_script("document.querySelectorAll('.chip')[2].click()")
        self.assertEqual(self.picture("Accuracy")["hash"], before)

    def test_every_run_can_be_hidden(self):
        self.run_script("document.querySelectorAll('.chip').forEach((chip) => chip.click())")
        self.assertEqual(self.run_script("return Chart.getChart(document.querySelector('canvas')).data.datasets.length"), 0)

    def test_measures_can_be_picked(self):
        for index, value, title in ((0, "objective_at_average", "Accuracy"), (1, "relative_disagreement", "Consensus"),
                                    (2, "bounds", "Certificate")):
            before = self.picture(title)["hash"]
            self.run_script(PICK, index, value)
            self.assertNotEqual(self.picture(title)["hash"], before, title)
        before = self.picture("Cost by node")["hash"]
        self.run_script("document.querySelector('#nodes input[value=bytes_sent]').click()")
        self.assertNotEqual(self.picture("Cost by node")["hash"], before)

    def test_hover_names_the_point(self):
        where = self.run_script(
            "const c = document.querySelector('canvas');"
            "c.scrollIntoView({ block: 'center', behavior: 'instant' });"
            "const at = c.getBoundingClientRect(), p = Chart.getChart(c).getDatasetMeta(0).data[50];"
            "return [at.left + p.x, at.top + p.y]"
        )
        self.browser.devtools("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": where[0], "y": where[1]})
        for _ in range(50):
            text = self.run_script(
                "const t = Chart.getChart(document.querySelector('canvas')).tooltip;"
                "return t && t.opacity > 0 ? [...t.title, ...t.body.flatMap((b) => b.lines)] : null"
            )
            if text:
                break
            time.sleep(0.05)
        self.assertEqual(text[0], "ipds")
        self.assertRegex(" ".join(text), r"Relative gap: \S+ Data-oracle calls: \S+ Step 51, 51 passes")

    def test_dark_by_preference_and_by_choice(self):
        paper = "return getComputedStyle(document.body).backgroundColor"
        light, picture = self.run_script(paper), self.picture("Accuracy")["hash"]
        self.browser.prefer("dark")
        time.sleep(0.2)
        dark = self.run_script(paper)
        self.assertNotEqual(dark, light)
        self.assertNotEqual(self.picture("Accuracy")["hash"], picture)
        self.run_script("document.getElementById('theme').click()")
        self.assertEqual(self.run_script(paper), light)
        self.assertEqual(self.picture("Accuracy")["hash"], picture)
        self.run_script("document.getElementById('theme').click()")
        self.assertEqual(self.run_script(paper), dark)
        self.load("report.html")
        self.assertEqual(self.run_script(paper), dark, "expected the choice to be remembered")

    def test_csv_of_the_trace_has_every_number_exactly(self):
        columns, rows = self.downloaded("Download trace of all runs as CSV", "trace-of-all-runs.csv")
        trace = self.trace()
        self.assertEqual(len(rows), len(trace))
        for row, line in zip(rows, trace):
            self.assertEqual(row["label"], line["label"])
            for key in ("step", "gap_at_average", "certified_gap", "bytes_sent", "seconds", "consensus_error"):
                self.assertIn(key, columns)
                self.assertEqual(float(row[key]) if row[key] else None, line[key], (key, row))

    def test_csv_of_a_chart_has_the_shown_runs_only(self):
        self.run_script("document.querySelectorAll('.chip')[0].click()")
        _, rows = self.downloaded("Download Accuracy as CSV", "accuracy.csv")
        self.assertEqual(len(rows), sum(line["label"] != "ipds" for line in self.trace()))

    def test_csv_of_tables(self):
        summary = json.loads((self.directory / "run" / "summary.json").read_text(encoding="utf-8"))["runs"]
        _, rows = self.downloaded("Download Summary as CSV", "summary.csv")
        self.assertEqual([row["label"] for row in rows], [run["label"] for run in summary])
        self.assertEqual([int(row["data_oracle_calls"]) for row in rows], [run["data_oracle_calls"] for run in summary])
        _, rows = self.downloaded("Download Cost by node as CSV", "cost-by-node.csv")
        self.assertEqual(len(rows), sum(len(run["nodes"]) for run in summary))
        _, rows = self.downloaded("Download Laplacian spectrum as CSV", "laplacian-spectrum.csv")
        self.assertEqual(len(rows), 10)

    def test_the_graph_is_drawn(self):
        self.assertEqual(self.run_script("return document.querySelectorAll('svg.drawing circle').length"), 10)
        context = json.loads((self.directory / "run" / "context.json").read_text(encoding="utf-8"))
        path = self.run_script("return document.querySelector('svg.drawing path').getAttribute('d')")
        self.assertEqual(path.count("M"), len(context["networks"][0]["edges"]))

    def test_text_from_users_stays_text(self):
        self.assertIsNone(self.run_script("return window.injected"))
        self.assertEqual(self.run_script("return document.querySelectorAll('img, b').length"), 0)
        self.assertIn('dpg <b>&"bold"</b>', self.run_script("return document.querySelectorAll('.chip')[3].textContent"))
        self.assertIn("</script>", self.run_script("return document.querySelector('pre').textContent"))

    def test_the_policy_stops_foreign_scripts(self):
        self.run_script("const s = document.createElement('script'); s.textContent = 'window.foreign = 1'; document.body.append(s)")
        self.assertIsNone(self.run_script("return window.foreign"))
        complaints = [entry["message"] for entry in self.browser.log("browser")]
        self.assertEqual(len(complaints), 1)
        self.assertIn("Content Security Policy", complaints[0])

    def test_a_phone_scrolls_one_way_only(self):
        self.browser.set_size(360, 740, mobile=True)
        self.load("report.html")
        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 360)
        for picture in self.pictures():
            self.assertGreater(picture["drawn"], LEAST_DRAWN, picture["title"])

    def test_prints_light_and_whole_from_a_dark_screen(self):
        self.browser.prefer("dark")
        self.load("report.html")
        before = self.picture("Accuracy")["hash"]
        document = self.browser.pdf()
        self.assertTrue(document.startswith(b"%PDF"))
        pages = len(re.findall(rb"/Type\s*/Page\b", document))
        self.assertIn(pages, range(2, 7))
        self.assertEqual(self.picture("Accuracy")["hash"], before, "expected the screen's charts back after printing")

    def test_everything_has_a_name(self):
        unnamed = self.run_script(
            "return [...document.querySelectorAll('canvas, svg.drawing, button, input, select')].filter((e) =>"
            "!(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels[0] && e.labels[0].textContent.trim())))"
            ".map((e) => e.outerHTML)"
        )
        self.assertEqual(unnamed, [])
        self.assertEqual(self.run_script("return document.querySelectorAll('th:not([scope])').length"), 0)

    def test_a_page_of_tables_and_charts_without_runs(self):
        self.load("tables.html")
        self.assertEqual(self.run_script("return document.querySelectorAll('section').length"), 1)
        self.assertEqual([picture["title"] for picture in self.pictures()], ["Spectral gap", "Oracle calls"])
        for picture in self.pictures():
            self.assertGreater(picture["drawn"], LEAST_DRAWN, picture["title"])
        columns, rows = self.downloaded("Download Passes over the data as CSV", "passes-over-the-data.csv")
        self.assertEqual(columns, ["Graph", "I-PDS", "paper", "DeFW"])
        self.assertEqual(rows[0], {"Graph": "path", "I-PDS": "92", "paper": "866", "DeFW": "3120.5"})
        self.assertEqual(rows[1]["Graph"], "'=cmd()", "expected what looks like a formula to be made text")
        _, rows = self.downloaded("Download Spectral gap as CSV", "spectral-gap.csv")
        self.assertEqual(len(rows), 6)


    def test_lines_of_a_chart_are_named_whatever_its_width(self):
        for width in (1280, 400):
            self.browser.set_size(width, 900)
            self.load("tables.html")
            legends = self.run_script(
                "return [...document.querySelectorAll('figure')].map((f) => [...f.querySelectorAll('.legend li')].map((item) => item.textContent))")
            self.assertIn(["path", "slope -2"], legends)
            colours = self.run_script("return [...document.querySelectorAll('.legend i')].map((i) => getComputedStyle(i).borderTopColor)")
            self.assertEqual(len(colours), len(set(colours)))

    def test_wide_tables_scroll_with_a_cue(self):
        look = "const all = [...document.querySelectorAll('.scroll')]; return all.map((s) => [s.scrollWidth > s.clientWidth + 1, s.nextElementSibling.checkVisibility()]);"
        self.browser.set_size(400, 800)
        self.load("tables.html")
        self.run_script("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        tables = self.run_script(look)
        self.assertIn([True, True], tables)
        for wide, cued in tables:
            self.assertEqual(wide, cued)
        self.run_script("document.querySelectorAll('.scroll').forEach((s) => { s.scrollLeft = s.scrollWidth; })")
        self.run_script("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertNotIn(True, [cued for _, cued in self.run_script(look)], "expected no cue at a table's end")

    def test_nothing_in_a_table_is_cut_or_runs_into_another(self):
        for width in (1280, 400):
            self.browser.set_size(width, 800)
            self.load("tables.html")
            cut = self.run_script(
                "return [...document.querySelectorAll('.scroll :is(th, td)')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)")
            self.assertEqual(cut, [], f"at {width}")
            apart = self.run_script("""
                const extent = (cell) => { const range = document.createRange(); range.selectNodeContents(cell); return range.getBoundingClientRect(); };
                return [...document.querySelectorAll(".scroll tr")].flatMap((row) => [...row.children].filter((c) => c.textContent).map(extent)
                  .map((box, i, all) => (i === 0 ? 99 : box.left - all[i - 1].right)));""")
            self.assertGreaterEqual(min(apart), 8, f"expected room between the columns' words at {width}")

    def test_the_page_fits_whatever_fonts_there_are(self):
        for family in ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono", "Liberation Sans"):  # one that is not there is the widest, monospace
            for name in ("report.html", "tables.html"):
                self.browser.set_size(360, 740, mobile=True)
                self.load(name)
                self.run_script("for (const part of ['--body', '--display', '--mono']) document.documentElement.style.setProperty(part, `'${arguments[0]}', monospace`)", family)
                self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 360, f"{name} in {family}")
                beyond = self.run_script(
                    "return [...document.querySelectorAll('button, select, h1, h2, h3, .legend li')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > 360).map((e) => e.textContent)")
                self.assertEqual(beyond, [], f"{name} in {family}")


if __name__ == "__main__":
    ReportPage.sample_maker = sys.argv.pop(1)
    try:
        webdriver.find_programs()
    except webdriver.BrowserMissing as missing:
        sys.exit(f"report_page_test: {missing}")
    unittest.main(verbosity=2)
