#include "radius_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "slidemesh/base/fail.h"
#include "slidemesh/base/text.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

constexpr std::size_t kCoefficientsDrawn = 8;

const Scores& scores_of(const RunSummary& run) {
  require<InternalError>(!run.scores.empty(), "path", "every run to have held-out scores", "one without");
  return run.scores.front();
}

double figure(const RunSummary& run) {
  const Scores& scores = scores_of(run);
  if (scores.numbers) {
    return scores.numbers->rmse;
  }
  return scores.classes->log_loss ? *scores.classes->log_loss : scores.classes->accuracy;
}

double mean_nonzeros(const PathPoint& point) {
  double sum = 0.0;
  for (const RunSummary& run : point.runs) {
    sum += run.coefficients ? static_cast<double>(run.coefficients->nonzeros) : 0.0;
  }
  return sum / static_cast<double>(point.runs.size());
}

Count calls(const PathPoint& point) {
  return std::accumulate(point.runs.begin(), point.runs.end(), Count{0},
                         [](Count sum, const RunSummary& run) { return sum + run.last.meters.data_oracle_calls; });
}

std::string name_of(const CoefficientSummary::One& one) {
  return one.output.empty() ? one.name : one.name + " → " + one.output;
}

/// The coefficients that are largest at the end of the path, over the radius. Of folds, the first.
ReportChart coefficient_chart(const std::vector<PathPoint>& path) {
  ReportChart chart{.title = "Coefficients",
                    .caption = "Of the features that are largest at the largest radius.",
                    .x_label = "radius",
                    .y_label = "coefficient",
                    .log_x = true,
                    .log_y = false};
  const auto& last = path.back().runs.front().coefficients;
  for (std::size_t k = 0; last && k < std::min(last->largest.size(), kCoefficientsDrawn); ++k) {
    ReportSeries series{.label = name_of(last->largest[k])};
    for (const PathPoint& point : path) {
      const auto& largest = point.runs.front().coefficients->largest;
      const auto found = std::ranges::find_if(largest, [&](const auto& one) { return name_of(one) == series.label; });
      series.x.push_back(point.radius);
      series.y.push_back(found == largest.end() ? 0.0 : found->value);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

ReportChart score_chart(const std::vector<PathPoint>& path) {
  const std::string name = score_of(path.front()).name;
  ReportChart chart{.title = "Held-out " + name,
                    .x_label = "radius",
                    .y_label = name,
                    .log_x = true,
                    .log_y = false,
                    .series = {{.label = name}}};
  ReportSeries low{.label = "one standard error less", .dashed = true};
  ReportSeries high{.label = "one standard error more", .dashed = true};
  for (const PathPoint& point : path) {
    const MeanAndError score = held_out_score(point);
    chart.series.front().x.push_back(point.radius);
    chart.series.front().y.push_back(score.mean);
    if (score.standard_error) {
      low.x.push_back(point.radius);
      low.y.push_back(score.mean - *score.standard_error);
      high.x.push_back(point.radius);
      high.y.push_back(score.mean + *score.standard_error);
    }
  }
  if (!low.x.empty()) {
    chart.series.push_back(std::move(low));
    chart.series.push_back(std::move(high));
  }
  return chart;
}

}  // namespace

PathScore score_of(const PathPoint& point) {
  const Scores& scores = scores_of(point.runs.front());
  if (scores.numbers) {
    return {"RMSE", true};
  }
  return scores.classes->log_loss ? PathScore{"log loss", true} : PathScore{"accuracy", false};
}

MeanAndError held_out_score(const PathPoint& point) {
  const auto n = static_cast<double>(point.runs.size());
  MeanAndError out;
  for (const RunSummary& run : point.runs) {
    out.mean += figure(run) / n;
  }
  if (point.runs.size() > 1) {
    double squares = 0.0;
    for (const RunSummary& run : point.runs) {
      squares += (figure(run) - out.mean) * (figure(run) - out.mean);
    }
    out.standard_error = std::sqrt(squares / (n - 1.0) / n);
  }
  return out;
}

const PathPoint& best_point(const std::vector<PathPoint>& path) {
  const double sign = score_of(path.front()).smaller_is_better ? 1.0 : -1.0;
  return *std::ranges::min_element(path, [&](const PathPoint& a, const PathPoint& b) {
    return sign * held_out_score(a).mean < sign * held_out_score(b).mean;
  });
}

std::vector<double> spread_radii(double low, double high, int points) {
  std::vector<double> radii;
  for (int k = 0; k < points; ++k) {
    const double share = points > 1 ? static_cast<double>(k) / (points - 1) : 0.0;
    // Six digits are as good as sixteen, and can be typed.
    radii.push_back(std::stod(fmt::format("{:.6g}", low * std::pow(high / low, share))));
  }
  return radii;
}

std::string path_csv(const std::vector<PathPoint>& path) {
  std::string name = score_of(path.front()).name;
  std::ranges::replace(name, ' ', '_');
  std::string csv = fmt::format("radius,{},standard_error,nonzeros,data_oracle_calls,objective\n", name);
  for (const PathPoint& point : path) {
    const MeanAndError score = held_out_score(point);
    const auto& objective = point.runs.front().last.measures.objective_at_average;
    csv += fmt::format("{},{},{},{},{},{}\n", text::shortest(point.radius), text::shortest(score.mean),
                       score.standard_error ? text::shortest(*score.standard_error) : "",
                       text::shortest(mean_nonzeros(point)), calls(point), objective ? text::shortest(*objective) : "");
  }
  return csv;
}

std::string path_json(const std::vector<PathPoint>& path) {
  const PathScore score = score_of(path.front());
  nlohmann::ordered_json out = {{"score", score.name},
                                {"smaller_is_better", score.smaller_is_better},
                                {"best_radius", best_point(path).radius},
                                {"points", nlohmann::ordered_json::array()}};
  for (const PathPoint& point : path) {
    const MeanAndError held_out = held_out_score(point);
    const auto& error = held_out.standard_error;
    out["points"].push_back({{"radius", point.radius},
                             {"score", held_out.mean},
                             {"standard_error", error ? nlohmann::ordered_json(*error) : nullptr},
                             {"nonzeros", mean_nonzeros(point)},
                             {"data_oracle_calls", calls(point)}});
  }
  return out.dump();
}

std::string path_table(const std::vector<PathPoint>& path, std::size_t width) {
  TextTable table(
      {"radius", "held-out " + score_of(path.front()).name, "standard error", "not zero", "data-oracle calls", ""}, 0);
  const PathPoint& best = best_point(path);
  for (const PathPoint& point : path) {
    const MeanAndError score = held_out_score(point);
    table.add({fmt::format("{:.4g}", point.radius), fmt::format("{:.6g}", score.mean),
               score.standard_error ? fmt::format("{:.2g}", *score.standard_error) : "-",
               fmt::format("{:g}", mean_nonzeros(point)), std::to_string(calls(point)), &point == &best ? "best" : ""});
  }
  return table.text(width);
}

ReportInput path_page(const std::vector<PathPoint>& path, const std::string& title) {
  const PathPoint& best = best_point(path);
  const std::string name = score_of(path.front()).name;
  ReportInput page;
  page.title = title;
  page.findings = {fmt::format("The best held-out {} is {:.4g}, at a radius of {:.4g}.", name,
                               held_out_score(best).mean, best.radius)};
  ReportTable table{.title = "Radii",
                    .columns = {"Radius", "Held-out " + name, "Standard error", "Not zero", "Data-oracle calls"}};
  for (const PathPoint& point : path) {
    const MeanAndError score = held_out_score(point);
    table.rows.push_back({point.radius, score.mean, score.standard_error ? Cell(*score.standard_error) : Cell("–"),
                          mean_nonzeros(point), calls(point)});
  }
  ReportSection section{.title = "Path over radii", .tables = {std::move(table)}, .charts = {score_chart(path)}};
  if (ReportChart chart = coefficient_chart(path); !chart.series.empty()) {
    section.charts.push_back(std::move(chart));
  }
  page.sections.push_back(std::move(section));
  return page;
}

}  // namespace slidemesh::app
