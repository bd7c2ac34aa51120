#include "slidemesh/report/report.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "json_fields.h"
#include "page.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/report/layout.h"

/// What stands in a cell, as it is.
template <>
struct nlohmann::adl_serializer<slidemesh::Cell> {
  static void to_json(slidemesh::Json& json, const slidemesh::Cell& cell) {
    std::visit([&](const auto& value) { json = value; }, cell);
  }
};

namespace slidemesh {

namespace {

using Replacements = std::map<char, std::string_view>;

std::string replaced(std::string_view text, const Replacements& by) {
  std::string safe;
  safe.reserve(text.size());
  for (const char& c : text) {
    const auto found = by.find(c);
    safe += found == by.end() ? std::string_view(&c, 1) : found->second;
  }
  return safe;
}

std::string escaped(std::string_view text) {
  static const Replacements kEntities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  return replaced(text, kEntities);
}

/// JSON that can stand inside a script element: without < there is no closing tag and no comment.
std::string json_for_html(const Json& value) { return replaced(report_json::dump(value), {{'<', "\\u003c"}}); }

/// A trace by columns: a name once instead of once per line.
Json columns(const ReportRun& run) {
  Json table = Json::object();
  const auto add = [&](const Record& record) {
    Json row = {{"step", record.step}};
    report_json::append_record(row, record);
    row["relative_gap"] = relative_gap(run.summary, record);
    for (auto& [key, value] : row.items()) {
      table[key].push_back(std::move(value));
    }
  };
  for (const Record& record : run.trace) {
    add(record);
  }
  if (run.trace.empty() || run.trace.back().step != run.summary.last.step) {
    add(run.summary.last);
  }
  return table;
}

}  // namespace

static void to_json(Json& object, const ReportRun& run) {
  const RunSummary& summary = run.summary;
  object = {{"method", summary.method},
            {"label", summary.label},
            {"status", to_string(summary.status)},
            {"rows", summary.rows},
            {"trace", columns(run)},
            {"nodes", summary.nodes},
            {"settings", summary.settings},
            {"rows_read", summary.rows_read},
            {"rows_read_in_opening", summary.rows_read_in_opening},
            {"scores", summary.scores}};
  if (summary.coefficients) {
    object["coefficients"] = *summary.coefficients;
  }
}

static void to_json(Json& object, const ReportTable& table) {
  object = {{"title", table.title}, {"caption", table.caption}, {"columns", table.columns}, {"rows", table.rows}};
}

static void to_json(Json& object, const ReportSeries& series) {
  object = {
      {"label", series.label}, {"x", series.x}, {"y", series.y}, {"line", series.line}, {"dashed", series.dashed}};
}

static void to_json(Json& object, const ReportChart& chart) {
  object = {{"title", chart.title}, {"caption", chart.caption}, {"x_label", chart.x_label}, {"y_label", chart.y_label},
            {"log_x", chart.log_x}, {"log_y", chart.log_y},     {"series", chart.series}};
}

static void to_json(Json& object, const ReportSection& section) {
  object = {{"title", section.title},
            {"paragraphs", section.paragraphs},
            {"tables", section.tables},
            {"charts", section.charts}};
}

namespace {

Json with_positions(const ReportNetwork& network) {
  Json object = network;
  object["positions"] = Json::array();
  for (const Position& position : layout(network.graph)) {
    object["positions"].push_back({position.x, position.y});
  }
  return object;
}

Json page_data(const ReportInput& input) {
  Json data = {{"title", input.title},      {"problem", input.problem},   {"runs", input.runs},
               {"networks", Json::array()}, {"sections", input.sections}, {"configs", Json::array()}};
  for (const ReportNetwork& network : input.networks) {
    data["networks"].push_back(with_positions(network));
  }
  for (const auto& [name, text] : input.configs) {
    data["configs"].push_back({{"name", name}, {"text", text}});
  }
  return data;
}

/// As `escaped`, with numbers such as 1.2e-4 kept on one line: a browser would break them at the sign.
std::string unbroken(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const bool number =
        !word.empty() && word.front() >= '0' && word.front() <= '9' && word.find("e-") != std::string_view::npos;
    html += number ? "<span class=\"whole\">" + escaped(word) + "</span>" : escaped(word);
    text.remove_prefix(word.size());
    const std::size_t spaces = std::min(text.find_first_not_of(' '), text.size());
    html.append(spaces, ' ');
    text.remove_prefix(spaces);
  }
  return html;
}

/// The first screen is plain HTML: it is there before, and without, any script.
std::string findings(const ReportInput& input) {
  std::string html;
  for (const std::string& answer : answers(input.runs)) {
    html += R"(<li class="finding asked">)" + unbroken(answer) + "</li>\n";
  }
  for (const std::string& finding : input.findings) {
    html += R"(<li class="finding">)" + unbroken(finding) + "</li>\n";
  }
  const auto sentences = headlines(input.runs);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    html += R"(<li class="finding run" data-run=")" + std::to_string(i) + R"("><strong>)" +
            escaped(sentences[i].label) + "</strong> " + unbroken(sentences[i].text) + "</li>\n";
  }
  return html;
}

/// Replaces each @NAME@ of the template; what is put in is not looked at again.
std::string filled(std::string_view text, const std::map<std::string_view, std::string_view>& values) {
  std::string result;
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@')) {
    const std::size_t length = text.find('@', at + 1) + 1 - at;
    result += text.substr(0, at);
    result += values.at(text.substr(at, length));
    text.remove_prefix(at + length);
  }
  return result.append(text);
}

}  // namespace

std::string report_page(const ReportInput& input) {
  const std::string policy = "default-src 'none'; script-src '" + std::string(page::kChartLibraryHash) + "' '" +
                             std::string(page::kScriptHash) + "'; style-src '" + std::string(page::kStyleHash) +
                             "'; img-src data:; base-uri 'none'; form-action 'none'";
  const std::string title = escaped(input.title.empty() ? "slidemesh report" : input.title);
  const std::string subtitle = input.problem.empty() ? "" : escaped(input.problem.front());
  return filled(page::kTemplate, {{"@POLICY@", policy},
                                  {"@TITLE@", title},
                                  {"@SUBTITLE@", subtitle},
                                  {"@FINDINGS@", findings(input)},
                                  {"@STYLE@", page::kStyle},
                                  {"@DATA@", json_for_html(page_data(input))},
                                  {"@CHART_LIBRARY@", page::kChartLibrary},
                                  {"@SCRIPT@", page::kScript}});
}

void write_report(const std::filesystem::path& out, const ReportInput& input) { atomic_write(out, report_page(input)); }

}  // namespace slidemesh
