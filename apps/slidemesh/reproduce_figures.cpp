// The paper's figures: primal gap and linear-oracle calls of DeFW, I-PDS, sampled I-PDS ("SPDS" there)
// and projected gradient over 100 outer steps, for mu = 0 and mu = 0.5.

#include <fmt/format.h>

#include "slidemesh/algorithms/defw.h"
#include "slidemesh/algorithms/dpg.h"
#include "slidemesh/algorithms/ipds.h"
#include "workbench.h"

namespace slidemesh::app {

namespace {

constexpr Count kMostInnerStepsOfFigures = 2000;
constexpr double kTolerance = 1e-3;

struct Curve {
  std::string label;
  std::vector<Point> points;
};

std::unique_ptr<Method> make_ipds(const Case& c, bool sampled) {
  IpdsOptions options = affordable_cgs(c, kPaperSteps, kTolerance, kMostInnerStepsOfFigures);
  if (sampled) {
    options.c = kPaperBatchScale * c.problem.smoothness * c.problem.smoothness;
  }
  return std::make_unique<Ipds>(c.problem, *c.network, options);
}

std::vector<Curve> run_all(Workbench& bench, double mu) {
  Case c = bench.make_case({.mu = mu});
  DefwOptions defw;
  defw.outer_steps = kPaperSteps;
  ProjectedOptions dpg;
  dpg.outer_steps = kPaperSteps;
  std::vector<std::pair<std::string, std::unique_ptr<Method>>> methods;
  methods.emplace_back("DeFW", std::make_unique<Defw>(c.problem, *c.network, defw));
  methods.emplace_back("I-PDS", make_ipds(c, false));
  methods.emplace_back("sampled I-PDS", make_ipds(c, true));
  methods.emplace_back("DPG", std::make_unique<Dpg>(c.problem, *c.network, dpg));
  std::vector<Curve> curves;
  curves.reserve(methods.size());
  for (auto& [label, method] : methods) {
    curves.push_back({label, follow(bench, fmt::format("figures: {}, mu = {}", label, mu), c, *method)});
  }
  return curves;
}

ReportSeries series_of(const Curve& curve, const std::function<double(const Point&)>& x,
                       const std::function<double(const Point&)>& y) {
  ReportSeries series;
  series.label = curve.label;
  for (const Point& point : curve.points) {
    series.x.push_back(x(point));
    series.y.push_back(y(point));
  }
  return series;
}

ReportChart gap_chart(const std::vector<Curve>& curves, double mu) {
  ReportChart chart{.title = fmt::format("Primal gap against passes over the data, mu = {}", mu),
                    .caption = "F(x̄) - F*; a pass is 20,000 data-oracle calls.",
                    .x_label = "passes over the data",
                    .y_label = "F(x̄) - F*",
                    .log_x = true};
  for (const Curve& curve : curves) {
    chart.series.push_back(series_of(curve, &Point::passes, [](const Point& point) { return point.gap; }));
  }
  return chart;
}

ReportChart oracle_chart(const std::vector<Curve>& curves, double mu) {
  ReportChart chart{.title = fmt::format("Linear-oracle calls against outer steps, mu = {}", mu),
                    .caption = "Over all nodes. DPG projects and has none.",
                    .x_label = "outer step",
                    .y_label = "linear-oracle calls"};
  for (const Curve& curve : curves) {
    if (curve.points.back().meters.linear_oracle_calls > 0) {
      chart.series.push_back(series_of(
          curve, [](const Point& point) { return static_cast<double>(point.step); },
          [](const Point& point) { return static_cast<double>(point.meters.linear_oracle_calls); }));
    }
  }
  return chart;
}

void add_rows(const std::vector<Curve>& curves, double mu, ReportTable& table) {
  for (const Curve& curve : curves) {
    const Point& last = curve.points.back();
    table.rows.push_back({curve.label, fmt::format("{}", mu), static_cast<Count>(last.step), last.gap,
                          last.relative_gap, last.passes(), last.meters.data_oracle_calls,
                          last.meters.communication_rounds, last.meters.linear_oracle_calls});
  }
}

}  // namespace

Part reproduce_figures(Workbench& bench) {
  Part part;
  part.section.title = "Figures: 100 outer steps of each method";
  part.section.paragraphs = {
      fmt::format("Ten nodes on an Erdős–Rényi graph (p = 0.4), rows dealt contiguously; I-PDS with the paper's "
                  "operator and step sizes, "
                  "R |A| / L~ = 1, CGS inside to a Wolfe gap of {}; sampled I-PDS with c = L~^2/400; DPG with step "
                  "1/(L~ + mu)/sqrt(t). "
                  "The paper shows curves without numbers; the table has ours after the last step.",
                  kTolerance)};
  ReportTable table;
  table.title = "After the last step";
  table.columns = {"method",
                   "mu",
                   "steps",
                   "F(x̄) - F*",
                   "relative gap",
                   "passes over the data",
                   "data-oracle calls",
                   "rounds",
                   "linear-oracle calls"};
  for (const double mu : {0.0, 0.5}) {
    const std::vector<Curve> curves = run_all(bench, mu);
    part.section.charts.push_back(gap_chart(curves, mu));
    part.section.charts.push_back(oracle_chart(curves, mu));
    add_rows(curves, mu, table);
    const Point& defw = curves[0].points.back();
    const Point& sampled = curves[2].points.back();
    part.findings.push_back(
        fmt::format("Figures, mu = {}: sampled I-PDS ends at a relative gap of {:.2g} for {:.3g} passes "
                    "over the data, DeFW {:.2g} for {:.3g}.",
                    mu, sampled.relative_gap, sampled.passes(), defw.relative_gap, defw.passes()));
  }
  part.section.tables.push_back(std::move(table));
  return part;
}

}  // namespace slidemesh::app
