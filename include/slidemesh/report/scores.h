#pragma once

#include <string>
#include <vector>

#include "slidemesh/core/metrics.h"

namespace slidemesh {

/// For people, line by line: the figures, and the confusion table of a classifier.
[[nodiscard]] std::vector<std::string> scores_lines(const Scores& scores);

/// The same in one line, without the table: "114 rows, accuracy 0.965, AUC 0.99".
[[nodiscard]] std::string scores_sentence(const Scores& scores);

/// One line of JSON, as summary.json has it; a figure that there is none of is null.
[[nodiscard]] std::string scores_json(const Scores& scores);

}  // namespace slidemesh
