#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "slidemesh/base/text.h"
#include "slidemesh/report/scores.h"
#include "text_table.h"

namespace slidemesh::app {

namespace {

using text::grouped;

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};

std::string duration(double seconds) {
  if (seconds < 120.0) {
    return fmt::format("{:.0f} s", seconds);
  }
  return seconds < 7200.0 ? fmt::format("{:.0f} min", seconds / 60.0) : fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string optional_number(const std::optional<double>& value) { return value ? fmt::format("{:.2e}", *value) : "-"; }

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_) {
    write_to_log("\r\033[K");
    drawn_ = false;
  }
}

/// No longer than the terminal: what wraps could not be drawn over.
void Progress::draw(const std::string& line) {
  const std::size_t width = terminal_width(STDERR_FILENO);
  write_to_log("\r\033[K" + std::string(utf8_prefix(line, width > 1 ? width - 1 : width)));
  drawn_ = true;
}

void Progress::say(const std::string& line) {
  if (!quiet_) {
    clear();
    write_to_log(line + "\n");
  }
}

void Progress::warn(const std::string& line) {
  clear();
  const bool colour = wants_colour(STDERR_FILENO);
  write_to_log(fmt::format("slidemesh: {}warning:{} {}\n", colour ? "\033[1;33m" : "", colour ? "\033[0m" : "", line));
}

void Progress::passing(const std::string& line) {
  const auto now = Clock::now();
  if (!quiet_ && terminal_ && now - last_ >= kRedraw) {
    draw(line);
    last_ = now;
  }
}

void Progress::begin(const Start& start) {
  start_ = start;
  gap_ = "gap -";
  first_gap_.reset();
  began_ = Clock::now();
  last_ = began_;
}

/// To the target, at the rate at which the logarithm of the gap has fallen so far; without a target, to the last step.
std::string Progress::time_left(int step, double seconds) const {
  const auto target = start_.stop.target_gap ? start_.stop.target_gap : start_.stop.certified_gap;
  if (target) {
    const bool falls = first_gap_ && last_gap_ > 0.0 && last_gap_ < *first_gap_ && last_gap_ > *target;
    const double rate = falls ? std::log(*first_gap_ / last_gap_) / (last_seconds_ - first_seconds_) : 0.0;
    return rate > 0.0 ? "about " + duration(std::log(last_gap_ / *target) / rate) : "?";
  }
  const double steps_per_second = seconds > 0.0 ? (step - start_.from) / seconds : 0.0;
  return steps_per_second > 0.0 ? duration((start_.outer_steps - step) / steps_per_second) : "?";
}

std::string Progress::status(int step) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const double rate = seconds > 0.0 ? (step - start_.from) / seconds : 0.0;
  const std::string length = start_.outer_steps >= kOpenEnd ? "" : fmt::format("/{}", start_.outer_steps);
  return fmt::format("{}: step {}{}  {}  {:.3g} steps/s  {} left", start_.label, step, length, gap_, rate,
                     time_left(step, seconds));
}

std::optional<std::pair<std::string, double>> Progress::gap_of(const Record& record) const {
  const StopRule& stop = start_.stop;
  const auto& value = record.measures.objective_at_average;
  if (value && record.reference_optimum && (stop.target_gap || !stop.certified_gap)) {
    const auto gap = relative_gap(*value, *record.reference_optimum, start_.start_value);
    return gap ? std::optional(std::pair(std::string("relative gap"), *gap)) : std::nullopt;
  }
  if (!record.certified_gap || !record.lower_bound) {
    return std::nullopt;
  }
  const double scale = start_.start_value - *record.lower_bound;
  if (stop.certified_gap && stop.certified_gap_is_relative && scale > 0.0) {
    return std::pair(std::string("certified relative gap"), *record.certified_gap / scale);
  }
  return std::pair(std::string("certified gap"), *record.certified_gap);
}

void Progress::record(const Record& record) {
  const auto gap = gap_of(record);
  if (!gap) {
    return;
  }
  const auto target = start_.stop.target_gap ? start_.stop.target_gap : start_.stop.certified_gap;
  gap_ = fmt::format("{} {:.2e}{}", gap->first, gap->second, target ? fmt::format(" (target {:g})", *target) : "");
  last_gap_ = gap->second;
  last_seconds_ = std::chrono::duration<double>(Clock::now() - began_).count();
  if (!first_gap_ && gap->second > 0.0) {
    first_gap_ = gap->second;
    first_seconds_ = last_seconds_;
  }
}

void Progress::step(int step) {
  if (quiet_) {
    return;
  }
  const auto now = Clock::now();
  if (terminal_ && now - last_ >= kRedraw) {
    draw(status(step));
    last_ = now;
  } else if (!terminal_ && now - last_ >= kPlainLine) {
    write_to_log(status(step) + "\n");
    last_ = now;
  }
}

void Progress::end() { clear(); }

/// Results are still to be written: where the standard output fails is said at the end, by its state.
void Progress::costs(const std::vector<RunSummary>& runs) {
  if (!quiet_) {
    std::string text = cost_table(runs, terminal_width(STDOUT_FILENO)) + "\n";
    for (const RunSummary& run : runs) {
      for (const Scores& scores : run.scores) {
        text += fmt::format("{}, {}: {}\n", run.label, scores.data, scores_sentence(scores));
      }
    }
    static_cast<void>(std::fputs(text.c_str(), stdout));
    static_cast<void>(std::fflush(stdout));
  }
}

namespace {

/// What people ask for is relative, unless they said otherwise.
bool shows_absolute_gaps(const std::vector<RunSummary>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const RunSummary& run) {
    return run.asked.ends_with("(absolute)") || (run.last.certified_gap && !certified_relative_gap(run));
  });
}

}  // namespace

std::string cost_table(const std::vector<RunSummary>& runs, std::size_t width) {
  const bool absolute = shows_absolute_gaps(runs);
  TextTable table(
      {{"method", "status", "steps", "relative gap", absolute ? "certified gap (absolute)" : "certified gap (relative)",
        "data-oracle calls", "rows read in all", "passes", "rounds", "hops", "linear-oracle calls", "seconds"}},
      2);
  for (const RunSummary& run : runs) {
    const Record& r = run.last;
    const std::string passes =
        run.rows > 0
            ? fmt::format("{:.1f}", static_cast<double>(r.meters.data_oracle_calls) / static_cast<double>(run.rows))
            : "-";
    const std::string read =
        run.rows_read ? grouped(*run.rows_read + run.rows_read_in_opening.value_or(0)) : std::string("-");
    table.add({run.label, std::string(to_string(run.status)), std::to_string(r.step),
               optional_number(relative_gap(run, r)),
               optional_number(absolute ? r.certified_gap : certified_relative_gap(run)),
               grouped(r.meters.data_oracle_calls), read, passes, grouped(r.meters.communication_rounds),
               grouped(r.meters.hops), grouped(r.meters.linear_oracle_calls), fmt::format("{:.2f}", r.seconds)});
  }
  table.leave_out_empty_columns();
  return table.text(width);
}

}  // namespace slidemesh::app
