#pragma once

#include <span>
#include <string>
#include <vector>

#include "slidemesh/core/method.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/writers.h"
#include "slidemesh/session/experiment.h"
#include "slidemesh/session/model.h"
#include "slidemesh/session/prediction.h"
#include "slidemesh/session/run.h"

namespace slidemesh {

/// What is solved, over what data, set and graph: for people, a line each.
[[nodiscard]] std::vector<std::string> problem_lines(const Config& config, const Experiment& experiment,
                                                     const Job& job);

/// The graph of the run as the page shows it.
[[nodiscard]] ReportNetwork network_to_draw(const Config& config, const Experiment& experiment);

/// All of a model but its parameters and multipliers: what they are parameters of, and how good they are.
[[nodiscard]] Model model_of(const Config& config, const MethodConfig& method, const Experiment& experiment,
                             Status status, const Record& last);

/// The mean over all nodes, with the same bits whatever they are spread over. A rank that traces its own nodes keeps
/// to those.
[[nodiscard]] Vector answer_of(Method& method, Control& control, const Job& job);

/// F at the answer less the bound, where every party measures its own nodes alone: one look at its rows and one sum.
[[nodiscard]] double certified_gap_at(const Vector& answer, double lower_bound, double start_value,
                                      const Experiment& experiment);

/// The multipliers of all nodes, where that is not too much for a file that people read; else none.
[[nodiscard]] Stacked dual_of(const Method& method, Control& control);

/// A free intercept is as free as its bound is far.
[[nodiscard]] bool intercept_is_at_bound(const Model& model, double bound);

/// How good a model is on rows that it was not trained on: those that were held out, and those of data.test. Every
/// process calls it; processes tell one another labels and scores of held-out rows, and nothing else of them. With a
/// scope of this process, each judges by its own.
[[nodiscard]] std::vector<Scores> scores_of(const Model& model, const Config& config, const Experiment& experiment);

/// What a model looks like: how many coefficients matter, and which are the largest.
[[nodiscard]] CoefficientSummary summarize_coefficients(const Model& model);

/// coefficients.csv: every coefficient by name, as trained and in the units of the data. Empty where a model has no
/// features with a meaning of their own.
[[nodiscard]] std::string coefficients_csv(std::span<const Model> models);

}  // namespace slidemesh
