#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"

namespace slidemesh::app {

/// One radius of a path: what its runs came to, one per fold.
struct PathPoint {
  double radius = 0.0;
  std::vector<RunSummary> runs;
};

/// How radii are compared: by the first of these figures that there is.
struct PathScore {
  std::string name;  ///< "log loss"
  bool smaller_is_better = true;
};
[[nodiscard]] PathScore score_of(const PathPoint& point);

/// Of the runs' held-out scores.
struct MeanAndError {
  double mean = 0.0;
  std::optional<double> standard_error;  ///< of the mean; none of a single run
};
[[nodiscard]] MeanAndError held_out_score(const PathPoint& point);

/// The radius with the best mean score; the smaller of two alike.
[[nodiscard]] const PathPoint& best_point(const std::vector<PathPoint>& path);

/// `points` radii from `low` to `high`, each as many times the one before.
[[nodiscard]] std::vector<double> spread_radii(double low, double high, int points);

/// path.csv, and what the page shows: the score and the coefficients over the radius.
[[nodiscard]] std::string path_csv(const std::vector<PathPoint>& path);
[[nodiscard]] std::string path_json(const std::vector<PathPoint>& path);
[[nodiscard]] std::string path_table(const std::vector<PathPoint>& path, std::size_t width);
[[nodiscard]] ReportInput path_page(const std::vector<PathPoint>& path, const std::string& title);

}  // namespace slidemesh::app
