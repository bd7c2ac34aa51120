#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "slidemesh/base/text.h"
#include "slidemesh/report/report.h"
#include "slidemesh/report/scores.h"

namespace slidemesh {
namespace {

using text::grouped;

/// Nodes that disagree by more than this have not found one point, and the sentence says so.
constexpr double kClearDisagreement = 1e-2;
/// A ratio below this is not worth a claim.
constexpr double kClearRatio = 1.1;

/// 1.2e-4 as people write it, without the leading zero of the exponent that C prints.
std::string scientific(double value) {
  if (value == 0.0 || (std::abs(value) >= 1e-2 && std::abs(value) < 1e4)) {
    return fmt::format("{:.2g}", value);
  }
  const std::string text = fmt::format("{:.1e}", value);
  const std::size_t e = text.find('e');
  return text.substr(0, e) + "e" + std::to_string(std::atoi(text.c_str() + e + 1));
}

std::string counted(Count value) {
  constexpr Count kMillion = 1'000'000;
  constexpr Count kBillion = 1'000'000'000;
  if (value < kMillion) {
    return grouped(value);
  }
  return value < kBillion ? fmt::format("{:.1f} million", static_cast<double>(value) / static_cast<double>(kMillion))
                          : fmt::format("{:.1f} billion", static_cast<double>(value) / static_cast<double>(kBillion));
}

std::string times(double ratio) { return ratio < 10.0 ? fmt::format("{:.1f}", ratio) : grouped(std::llround(ratio)); }

std::string_view ending(Status status) {
  constexpr std::pair<Status, std::string_view> kEndings[] = {
      {Status::kTargetReached, "reached its target, "},
      {Status::kTimeLimit, "was stopped by its time limit at "},
      {Status::kInterrupted, "was interrupted at "},
      {Status::kPeerLost, "lost a peer at "},
      {Status::kBudgetReached, "used up its budget at "},
      {Status::kReferenceUncertain, "came as near as the reference optimum can tell, "},
      {Status::kFailed, "failed at "},
      {Status::kEmptyIntersection, "found that the nodes' sets have no common point, at "},
      {Status::kRunning, "is still running, at "},
      {Status::kFinished, "reached "},
  };
  return std::ranges::find(kEndings, status, &std::pair<Status, std::string_view>::first)->second;
}

/// The gap that the headlines speak of, and targets too: relative, where the run knows to what.
std::optional<double> gap(const ReportRun& run, const Record& record) {
  const std::optional<double> relative = relative_gap(run.summary, record);
  return relative ? relative : record.gap_at_average;
}

std::string gap_in_words(const ReportRun& run, double value) {
  return (relative_gap(run.summary, run.summary.last) ? "relative gap of " : "gap of ") + scientific(value);
}

std::string accuracy(const ReportRun& run) {
  const Record& record = run.summary.last;
  if (const auto reached = gap(run, record)) {
    return *reached > 0.0 ? "a " + gap_in_words(run, *reached) : "the reference optimum to rounding";
  }
  if (record.certified_gap) {
    return "a certified gap of " + scientific(*record.certified_gap);
  }
  const auto& objective = record.measures.objective_at_average;
  return objective ? "an objective of " + fmt::format("{:.6g}", *objective) : "an objective that was not measured";
}

/// Data-oracle calls until the gap was first `target` or less.
std::optional<Count> calls_to(const ReportRun& run, double target) {
  for (const Record& record : run.trace) {
    if (const auto reached = gap(run, record); reached && *reached <= target) {
      return record.meters.data_oracle_calls;
    }
  }
  const Record& last = run.summary.last;
  if (const auto reached = gap(run, last); reached && *reached <= target) {
    return last.meters.data_oracle_calls;
  }
  return std::nullopt;
}

struct Comparison {
  double ratio = 0.0;
  double target = 0.0;
  const ReportRun* other = nullptr;
};

bool same_problem(const ReportRun& a, const ReportRun& b) {
  return a.summary.last.reference_optimum == b.summary.last.reference_optimum && a.summary.rows == b.summary.rows &&
         a.summary.objective_at_start == b.summary.objective_at_start;
}

/// Against a run of the same problem that needed clearly more calls, at the best gap that both reached;
/// of several, the one for which that gap is smallest.
Comparison best_comparison(const ReportRun& run, std::span<const ReportRun> runs) {
  Comparison best;
  for (const ReportRun& other : runs) {
    const auto mine = gap(run, run.summary.last);
    const auto theirs = gap(other, other.summary.last);
    if (&other == &run || !mine || !theirs || !same_problem(run, other)) {
      continue;
    }
    const double target = std::max(*mine, *theirs);
    const auto my_calls = calls_to(run, target);
    const auto their_calls = calls_to(other, target);
    if (!my_calls || !their_calls || *my_calls <= 0) {
      continue;
    }
    const double ratio = static_cast<double>(*their_calls) / static_cast<double>(*my_calls);
    const bool nearer = best.other == nullptr || target < best.target || (target == best.target && ratio > best.ratio);
    if (ratio >= kClearRatio && nearer) {
      best = {.ratio = ratio, .target = target, .other = &other};
    }
  }
  return best;
}

std::string claim(const ReportRun& run, std::span<const ReportRun> runs) {
  const Comparison best = best_comparison(run, runs);
  if (best.other == nullptr) {
    return "";
  }
  const std::string fewer = times(best.ratio) + "x fewer";
  const std::string& other = best.other->summary.label;
  if (best.target <= *gap(run, run.summary.last)) {
    return ", " + fewer + " than " + other;
  }
  return "; it reached the final gap of " + other + ", " + scientific(best.target) + ", with " + fewer + " calls";
}

std::string sentence(const ReportRun& run, std::span<const ReportRun> runs) {
  const Record& last = run.summary.last;
  std::string text = std::string(ending(run.summary.status)) + accuracy(run) + " with " +
                     counted(last.meters.data_oracle_calls) + " data-oracle calls";
  if (run.summary.rows > 0) {
    const double passes = static_cast<double>(last.meters.data_oracle_calls) / static_cast<double>(run.summary.rows);
    text += " (" + (passes < 100.0 ? fmt::format("{:.1f}", passes) : grouped(std::llround(passes))) + " passes)";
  }
  text += claim(run, runs);
  if (last.measures.relative_disagreement > kClearDisagreement) {
    text +=
        "; its nodes still disagree by " + fmt::format("{:.2g}", 100.0 * last.measures.relative_disagreement) + " %";
  }
  return text + ".";
}

/// Who reached what was asked for, and who did not. Several that did are named alone: how far each came is in the
/// headlines.
std::string answer(const std::string& asked, std::span<const ReportRun> runs) {
  std::vector<const RunSummary*> reached;
  std::vector<const RunSummary*> missed;
  for (const ReportRun& run : runs) {
    if (run.summary.asked == asked) {
      (run.summary.status == Status::kTargetReached ? reached : missed).push_back(&run.summary);
    }
  }
  const auto label = [](const RunSummary* run) { return run->label; };
  const auto with_result = [](const RunSummary* run) { return run->label + ", which has " + run->got; };
  std::vector<std::string> parts;
  if (!reached.empty()) {
    parts.push_back("reached by " +
                    (reached.size() == 1 ? with_result(reached[0]) : text::joined(reached, ", ", label)));
  }
  if (!missed.empty()) {
    parts.push_back("not reached by " + text::joined(missed, "; ", with_result));
  }
  return "Asked for " + asked + ": " + text::joined(parts, "; ") + ".";
}

}  // namespace

std::vector<std::string> answers(std::span<const ReportRun> runs) {
  std::vector<std::string> sentences;
  std::vector<std::string_view> asked;
  for (const ReportRun& run : runs) {
    const std::string& question = run.summary.asked;
    if (!question.empty() && std::ranges::find(asked, question) == asked.end()) {
      asked.push_back(question);
      sentences.push_back(answer(question, runs));
    }
  }
  for (const ReportRun& run : runs) {
    for (const Scores& scores : run.summary.scores) {
      sentences.push_back(run.summary.label + " on rows that it was not trained on (" + scores.data +
                          "): " + scores_sentence(scores) + ".");
    }
  }
  return sentences;
}

std::vector<Headline> headlines(std::span<const ReportRun> runs) {
  std::vector<Headline> result;
  for (const ReportRun& run : runs) {
    result.push_back({.label = run.summary.label, .text = sentence(run, runs)});
  }
  return result;
}

}  // namespace slidemesh
