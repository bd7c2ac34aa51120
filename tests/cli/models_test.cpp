// model.json stands alone: what `predict` and `evaluate` make of it, from every source.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"
#include "slidemesh/base/random.h"
#include "slidemesh/data/dataset.h"
#include "slidemesh/data/formats/writers.h"
#include "support/npy_file.h"

namespace slidemesh {
namespace {

using nlohmann::json;
using testing::expect_one_line_of_error;
using testing::Outcome;
using testing::run_program;
using testing::slurp;
using testing::TempDir;

constexpr const char* kNetwork =
    "[network]\ngraph = \"ring\"\nnodes = 4\n[[method]]\nname = \"ipds\"\nouter_steps = 20\n";

class Models : public ::testing::Test {
 protected:
  void train(const std::string& config) {
    write("c.toml", config + kNetwork);
    const Outcome outcome = run_program(directory_, "run c.toml --out out --overwrite --quiet");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  }

  std::string output(const std::string& arguments) {
    const Outcome outcome = run_program(directory_, arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.error;
    return outcome.out;
  }

  void write(const std::string& name, std::string_view text) { static_cast<void>(directory_.write(name, text)); }

  json model() { return json::parse(slurp(directory_ / "out/model.json")).at("models").at(0); }

  TempDir directory_;
};

class WordModels : public Models {
 protected:
  void SetUp() override {
    std::string rows = "colour,size,when,ok,fruit\n";
    for (int k = 0; k < 60; ++k) {
      const char* colour = k % 3 == 0 ? "red" : k % 3 == 1 ? "green" : "blue";
      const char* fruit = k % 3 == 0 ? "apple" : k % 3 == 1 ? "pear" : "plum";
      rows += std::string(colour) + "," + (k % 7 == 0 ? "" : std::to_string(k % 5)) + ",2024-01-01," +
              (k % 2 == 0 ? "true" : "false") + "," + fruit + "\n";
    }
    write("t.csv", rows);
    train(
        "[problem]\nloss = \"softmax\"\n[data]\npath = \"t.csv\"\nlabel = \"fruit\"\nignore = [\"when\"]\n"
        "missing = \"mean\"\ncategorical = \"one-hot\"\nscaling = \"standard\"\nintercept = true\n");
  }
};

TEST_F(WordModels, KeepShapeNamesDictionaryAndScaling) {
  const json kept = model();
  EXPECT_EQ(kept.at("rows"), 6);
  EXPECT_EQ(kept.at("columns"), 3);
  EXPECT_EQ(kept.at("feature_names"), json({"colour=blue", "colour=green", "colour=red", "size", "ok", "intercept"}));
  EXPECT_EQ(kept.at("data").at("label_words"), json({"apple", "pear", "plum"}));
  EXPECT_EQ(kept.at("data").at("columns").at(0).at("words"), json({"blue", "green", "red"}));
  EXPECT_TRUE(kept.at("data").at("columns").at(1).contains("missing"));
  EXPECT_EQ(kept.at("data").at("shift").size(), 5U);
  EXPECT_EQ(kept.at("data").at("scale").size(), 5U);
  EXPECT_TRUE(kept.contains("certified_gap"));
}

TEST_F(WordModels, PredictInWordsWhateverTheOrderOfColumns) {
  write("new.csv", "who,ok,colour,size\nann,true,green,2\nbob,FALSE,red,NA\n");
  const std::string out = output("predict out new.csv --set id=who");
  EXPECT_EQ(out.substr(0, out.find('\n')), "id,prediction,P(apple),P(pear),P(plum)");
  EXPECT_NE(out.find("\nann,pear,"), std::string::npos) << out;
  EXPECT_NE(out.find("\nbob,apple,"), std::string::npos) << out;
  const std::string objects = output("predict out/model.json new.csv --json");
  const json line = json::parse(objects.substr(0, objects.find('\n')));
  EXPECT_EQ(line.at("prediction"), "pear");
  double sum = 0.0;
  for (const auto& [name, p] : line.at("probabilities").items()) {
    sum += p.get<double>();
  }
  EXPECT_NEAR(sum, 1.0, 1e-15);
}

TEST_F(WordModels, RefuseWhatTheyDoNotKnowInOneLine) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& parts, int code = 3) {
    write("new.csv", text);
    expect_one_line_of_error(run_program(directory_, "predict out new.csv --out p.csv"), code, parts);
    EXPECT_FALSE(std::filesystem::exists(directory_ / "p.csv"));
  };
  refused("ok,colour\ntrue,red\n", {"new.csv:1: expected a column called 'size', got none"});
  refused("ok,color,size\ntrue,red,1\n", {"expected a column called 'colour', got none (is it 'color'?)"});
  refused("ok,colour,size\ntrue,mauve,1\n", {"new.csv:2", "column 'colour'", "'mauve'"});
  refused("ok,colour,size\ntrue,red,1\ntrue,red,wide\n", {"new.csv:3", "column 'size'", "'wide'"});
  write("new.csv", "ok,colour,size,fruit\ntrue,red,1,kiwi\n");
  expect_one_line_of_error(run_program(directory_, "evaluate out new.csv"), 3, {"new.csv:2", "'fruit'", "'kiwi'"});
  write("new.csv", "ok,colour,size\ntrue,red,1\n");
  expect_one_line_of_error(run_program(directory_, "evaluate out new.csv"), 3, {"new.csv:1", "'fruit'"});
}

TEST_F(WordModels, AreJudgedInWordsAndInJson) {
  const json scores = json::parse(output("evaluate out t.csv --json"));
  EXPECT_EQ(scores.at("rows"), 60);
  EXPECT_EQ(scores.at("accuracy"), 1.0);
  EXPECT_EQ(scores.at("confusion"), json({{20, 0, 0}, {0, 20, 0}, {0, 0, 20}}));
  const std::string words = output("evaluate out t.csv");
  EXPECT_NE(words.find("balanced accuracy   1\n"), std::string::npos) << words;
  EXPECT_NE(words.find(" plum |"), std::string::npos) << words;
}

TEST_F(WordModels, OfAHostileFileAreRefusedInOneLine) {
  std::string text = slurp(directory_ / "out/model.json");
  const std::string wrong = "\"intercept\": true";
  write("bad.json", text.replace(text.find(wrong), wrong.size(), "\"intercept\": false"));
  expect_one_line_of_error(run_program(directory_, "predict bad.json t.csv"), 3, {"bad.json: models[0].data.features"});
  write("bad.json", "{\"schema\": 1, \"models\": 7}");
  expect_one_line_of_error(run_program(directory_, "predict bad.json t.csv"), 3, {"models: expected an array"});
  expect_one_line_of_error(run_program(directory_, "evaluate nowhere.json t.csv"), 3, {"nowhere.json"});
}

/// The same rows from every kind of source have the same predictions to the last digit.
class NumberModels : public Models {
 protected:
  void SetUp() override {
    RandomStream draw(11, Purpose::kTest);
    rows_.features = 4;
    rows_.offsets.push_back(0);
    for (int r = 0; r < 80; ++r) {
      double t = 0.0;
      for (std::int32_t j = 0; j < 4; ++j) {
        rows_.columns.push_back(j);
        rows_.values.push_back(draw.normal());
        t += (j - 1.5) * rows_.values.back();
      }
      rows_.offsets.push_back(static_cast<std::int64_t>(rows_.values.size()));
      rows_.labels.push_back(t > 0.0 ? 2.0 : 1.0);
    }
    std::ofstream csv(directory_ / "rows.csv");
    write_csv(csv, rows_);
    std::ofstream svm(directory_ / "rows.svm");
    write_libsvm(svm, rows_);
    std::ofstream mtx(directory_ / "rows.mtx");
    write_matrix_market(mtx, rows_);
    write("rows.npy", testing::npy("<f8", "(80, 4)", rows_.values));
    write("labels.npy", testing::npy("<f8", "(80,)", rows_.labels));
  }

  Rows rows_;
};

TEST_F(NumberModels, PredictTheSameFromEverySource) {
  output("data load rows.csv --label label --table rows --sqlite rows.db");
  for (const std::string data :
       {"path = \"rows.svm\"", "path = \"rows.csv\"", "path = \"rows.db\"\ntable = \"rows\""}) {
    train("[data]\n" + data + "\nscaling = \"standard\"\nintercept = true\n");
    const std::string expected = output("predict out rows.csv");
    EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 81);
    EXPECT_EQ(output("predict out rows.svm"), expected);
    EXPECT_EQ(output("predict out rows.mtx"), expected);
    EXPECT_EQ(output("predict out rows.npy"), expected);
    const json scores = json::parse(output("evaluate out rows.svm --json"));
    EXPECT_GT(scores.at("accuracy"), 0.9);
    for (const std::string other :
         {"rows.csv", "rows.mtx", "rows.npy --set labels=labels.npy", "rows.db --set table=rows"}) {
      json same = json::parse(output("evaluate out " + other + " --json"));
      same["data"] = scores.at("data");
      EXPECT_EQ(same, scores) << other;
    }
    const std::string keyed = output("predict out rows.db --set table=rows");
    EXPECT_EQ(keyed.substr(0, keyed.find('\n')), "id,prediction,P(1),P(2)");
    EXPECT_NE(keyed.find("\n80,"), std::string::npos);
  }
}

TEST_F(NumberModels, RefuseAnotherNumberOfFeatures) {
  train("[data]\npath = \"rows.svm\"\n");
  write("wide.svm", "1 1:1 9:2\n");
  expect_one_line_of_error(run_program(directory_, "predict out wide.svm"), 3, {"wide.svm:1"});
  write("narrow.csv", "a,b\n1,2\n");
  expect_one_line_of_error(run_program(directory_, "predict out narrow.csv"), 3,
                           {"narrow.csv: expected the model's 4 features, got 2"});
}

TEST_F(Models, CompleteAMatrixAndAreJudgedByHeldOutEntries) {
  std::string known = "row,col,value\n";
  std::string held_out = known;
  std::string asked = "row,col\n";
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 10; ++j) {
      const bool is_known = (i * 10 + j) % 4 != 0;
      const std::string entry = std::to_string(i) + "," + std::to_string(j);
      (is_known ? known : held_out) += entry + "," + std::to_string((1 + i) * (1 + j) / 40.0) + "\n";
      asked += is_known ? "" : entry + "\n";
    }
  }
  write("known.csv", known);
  write("held_out.csv", held_out);
  write("asked.csv", asked);
  train(
      "[problem]\nloss = \"matrix-completion\"\nset = { kind = \"nuclear-ball\", radius = 7.0 }\n"
      "[data]\npath = \"known.csv\"\nmatrix_rows = 8\nmatrix_columns = 10\n");
  EXPECT_EQ(model().at("rows"), 8);
  EXPECT_EQ(model().at("columns"), 10);
  const json scores = json::parse(output("evaluate out held_out.csv --json"));
  EXPECT_EQ(scores.at("rows"), 20);
  EXPECT_LT(scores.at("rmse"), 0.5);
  const std::string predicted = output("predict out asked.csv");
  EXPECT_EQ(predicted.substr(0, predicted.find('\n')), "row,column,prediction");
  EXPECT_NE(predicted.find("\n0,4,"), std::string::npos);
}

TEST_F(Models, CallEntriesOfAMatrixWhatTheDataCallsThem) {
  const std::vector<std::string> people = {"Zoë", "ada", "bob", "çem", "dan, jr."};
  const std::vector<std::string> things = {"tea", "milk", "figs", "7"};
  std::string known = "who,what,stars\n";
  std::string asked = "what,who\n";
  for (std::size_t i = 0; i < people.size(); ++i) {
    for (std::size_t j = 0; j < things.size(); ++j) {
      const double value = static_cast<double>((1 + i) * (1 + j)) / 10.0;
      known += '"' + people[i] + "\"," + things[j] + "," + std::to_string(value) + "\n";
      asked += things[j] + ",\"" + people[i] + "\"\n";
    }
  }
  write("known.csv", known);
  write("asked.csv", asked);
  const std::string problem =
      "[problem]\nloss = \"matrix-completion\"\nset = { kind = \"nuclear-ball\", radius = 6.0 }\n";
  const std::string keys = "row = \"who\"\ncolumn = \"what\"\nvalue = \"stars\"\n";
  train(problem + "[data]\npath = \"known.csv\"\n" + keys);
  const json names = model().at("data").at("matrix");
  EXPECT_EQ(names.at("row_names"), json({"Zoë", "ada", "bob", "dan, jr.", "çem"}));
  EXPECT_EQ(names.at("column_names"), json({"7", "figs", "milk", "tea"}));
  // Neither the config nor its keys are needed again, and the order of the columns does not matter.
  const std::string predicted = output("predict out asked.csv");
  EXPECT_EQ(predicted.substr(0, predicted.find('\n')), "row,column,prediction");
  EXPECT_NE(predicted.find("\n\"dan, jr.\",figs,"), std::string::npos) << predicted;
  EXPECT_NE(output("predict out asked.csv --json").find("\"row\":\"Zoë\",\"column\":\"tea\""), std::string::npos);
  const json scores = json::parse(output("evaluate out known.csv --json"));
  EXPECT_EQ(scores.at("rows"), 20);
  write("stranger.csv", "who,what\neve,tea\n");
  expect_one_line_of_error(run_program(directory_, "predict out stranger.csv"), 3,
                           {"stranger.csv:2: expected a name that is known in column 'who', got 'eve'"});

  // Parties with a file each, none of which has all names, and one of which has a number for one.
  std::string rest = known;
  for (const std::string part : {"\"dan", "\"çem", "\"bob", "who"}) {
    const std::size_t begin = rest.find(part);
    const std::string header = part == "who" ? "" : "who,what,stars\n";
    write("part-" +
              std::to_string(part == "who"     ? 0
                             : part == "\"bob" ? 1
                             : part == "\"çem" ? 2
                                               : 3) +
              ".csv",
          header + rest.substr(begin));
    rest.erase(begin);
  }
  train(problem + "[data]\npath = \"part-{node}.csv\"\n" + keys);
  EXPECT_EQ(model().at("data").at("matrix"), names);
  EXPECT_LT(json::parse(output("evaluate out known.csv --json")).at("rmse"), 1.0);
}

TEST_F(NumberModels, StartOtherRuns) {
  train("[data]\npath = \"rows.svm\"\n");
  std::filesystem::rename(directory_ / "out/model.json", directory_ / "before.json");
  train("[problem]\nstart = \"before.json\"\n[data]\npath = \"rows.svm\"\n");
}

}  // namespace
}  // namespace slidemesh
