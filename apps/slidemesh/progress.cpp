#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace slidemesh::app {

namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};

std::string duration(double seconds) {
  if (seconds < 120.0) {
    return fmt::format("{:.0f} s", seconds);
  }
  return seconds < 7200.0 ? fmt::format("{:.0f} min", seconds / 60.0) : fmt::format("{:.1f} h", seconds / 3600.0);
}

/// 20000000 → "20,000,000".
std::string grouped(Count value) {
  std::string digits = std::to_string(value);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

/// A log that cannot be written (a full disk, a reader that has gone) must never end a run: what fails is left unsaid.
void write_to_log(const std::string& text) {
  static_cast<void>(std::fputs(text.c_str(), stderr));
  static_cast<void>(std::fflush(stderr));
  std::clearerr(stderr);
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

void Progress::draw(const std::string& line) {
  write_to_log("\r\033[K" + line);
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
  write_to_log("slidemesh: warning: " + line + "\n");
}

void Progress::passing(const std::string& line) {
  const auto now = Clock::now();
  if (!quiet_ && terminal_ && now - last_ >= kRedraw) {
    draw(line);
    last_ = now;
  }
}

void Progress::begin(const std::string& label, int outer_steps, int from) {
  label_ = label;
  outer_steps_ = outer_steps;
  from_ = from;
  gap_ = "-";
  began_ = Clock::now();
  last_ = began_;
}

std::string Progress::status(int step) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const int done = step - from_;
  const double rate = seconds > 0.0 ? done / seconds : 0.0;
  const std::string left = rate > 0.0 ? duration((outer_steps_ - step) / rate) : "?";
  return fmt::format("{}: step {}/{}  gap {}  {:.3g} steps/s  {} left", label_, step, outer_steps_, gap_, rate, left);
}

void Progress::record(const Record& record) {
  if (record.gap_at_average) {
    gap_ = fmt::format("{:.2e}", *record.gap_at_average);
  } else if (record.certified_gap) {
    gap_ = fmt::format("at most {:.2e}", *record.certified_gap);
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

std::string cost_table(const std::vector<RunSummary>& runs) {
  constexpr std::size_t kColumns = 11;
  using Row = std::array<std::string, kColumns>;
  std::vector<Row> rows{{"method", "status", "steps", "relative gap", "certified gap", "data-oracle calls", "passes",
                         "rounds", "hops", "linear-oracle calls", "seconds"}};
  for (const RunSummary& run : runs) {
    const Record& r = run.last;
    const std::string passes =
        run.rows > 0
            ? fmt::format("{:.1f}", static_cast<double>(r.meters.data_oracle_calls) / static_cast<double>(run.rows))
            : "-";
    rows.push_back({run.label, std::string(to_string(run.status)), std::to_string(r.step),
                    optional_number(relative_gap(run, r)), optional_number(r.certified_gap),
                    grouped(r.meters.data_oracle_calls), passes, grouped(r.meters.communication_rounds),
                    grouped(r.meters.hops), grouped(r.meters.linear_oracle_calls), fmt::format("{:.2f}", r.seconds)});
  }
  std::array<std::size_t, kColumns> width{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      width[c] = std::max(width[c], row[c].size());
    }
  }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      out += c < 2 ? fmt::format("{:<{}}  ", row[c], width[c]) : fmt::format("{:>{}}  ", row[c], width[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

}  // namespace slidemesh::app
