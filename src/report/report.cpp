#include "slidemesh/report/report.h"

#include <algorithm>
#include <string_view>

#include "json_fields.h"
#include "page.h"
#include "slidemesh/base/atomic_file.h"
#include "slidemesh/report/layout.h"

namespace slidemesh {

using report_json::Json;

namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// JSON that can stand inside a script element: without < there is no closing tag and no comment.
std::string json_for_html(const Json& value) {
  std::string safe;
  for (const char c : report_json::dump(value)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

/// A trace by columns: a name once instead of once per line.
Json columns(const ReportRun& run) {
  Json table = Json::object();
  const auto add = [&](const Record& record) {
    Json row = {{"step", record.step}};
    report_json::append_record(row, record);
    row["relative_gap"] = report_json::or_null(relative_gap(run.summary, record));
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

Json to_json(const ReportRun& run) {
  const RunSummary& summary = run.summary;
  Json object = {{"method", summary.method}, {"label", summary.label}, {"status", to_string(summary.status)},
                 {"rows", summary.rows},     {"trace", columns(run)},  {"nodes", Json::array()},
                 {"settings", Json::array()}};
  object["rows_read"] = report_json::or_null(summary.rows_read);
  object["rows_read_in_opening"] = report_json::or_null(summary.rows_read_in_opening);
  object["scores"] = Json::array();
  for (const Scores& scores : summary.scores) {
    object["scores"].push_back(report_json::to_json(scores));
  }
  if (summary.coefficients) {
    object["coefficients"] = report_json::to_json(*summary.coefficients);
  }
  for (const NodeMeters& node : summary.nodes) {
    object["nodes"].push_back(report_json::to_json(node));
  }
  for (const auto& [key, value] : summary.settings) {
    object["settings"].push_back({key, value});
  }
  return object;
}

Json to_json(const ReportNetwork& network) {
  Json object = {{"name", network.name},
                 {"nodes", network.graph.nodes()},
                 {"eigenvalues", network.eigenvalues},
                 {"edges", Json::array()},
                 {"positions", Json::array()}};
  for (const auto& [a, b] : network.graph.edge_list()) {
    object["edges"].push_back({a, b});
  }
  for (const Position& position : layout(network.graph)) {
    object["positions"].push_back({position.x, position.y});
  }
  return object;
}

Json to_json(const ReportTable& table) {
  Json object = {
      {"title", table.title}, {"caption", table.caption}, {"columns", table.columns}, {"rows", Json::array()}};
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (const Cell& cell : row) {
      std::visit([&](const auto& value) { cells.push_back(value); }, cell);
    }
    object["rows"].push_back(std::move(cells));
  }
  return object;
}

Json to_json(const ReportChart& chart) {
  Json object = {{"title", chart.title},     {"caption", chart.caption}, {"x_label", chart.x_label},
                 {"y_label", chart.y_label}, {"log_x", chart.log_x},     {"log_y", chart.log_y},
                 {"series", Json::array()}};
  for (const ReportSeries& series : chart.series) {
    object["series"].push_back(
        {{"label", series.label}, {"x", series.x}, {"y", series.y}, {"line", series.line}, {"dashed", series.dashed}});
  }
  return object;
}

Json to_json(const ReportSection& section) {
  Json object = {{"title", section.title},
                 {"paragraphs", section.paragraphs},
                 {"tables", Json::array()},
                 {"charts", Json::array()}};
  for (const ReportTable& table : section.tables) {
    object["tables"].push_back(to_json(table));
  }
  for (const ReportChart& chart : section.charts) {
    object["charts"].push_back(to_json(chart));
  }
  return object;
}

Json page_data(const ReportInput& input) {
  Json data = {{"title", input.title},      {"problem", input.problem},  {"runs", Json::array()},
               {"networks", Json::array()}, {"sections", Json::array()}, {"configs", Json::array()}};
  for (const ReportRun& run : input.runs) {
    data["runs"].push_back(to_json(run));
  }
  for (const ReportNetwork& network : input.networks) {
    data["networks"].push_back(to_json(network));
  }
  for (const ReportSection& section : input.sections) {
    data["sections"].push_back(to_json(section));
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
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string_view>>& values) {
  std::string result;
  while (!text.empty()) {
    std::size_t first = std::string_view::npos;
    const std::pair<std::string_view, std::string_view>* found = nullptr;
    for (const auto& value : values) {
      const std::size_t at = text.find(value.first);
      if (at < first) {
        first = at;
        found = &value;
      }
    }
    result += text.substr(0, first);
    if (found == nullptr) {
      break;
    }
    result += found->second;
    text.remove_prefix(first + found->first.size());
  }
  return result;
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
