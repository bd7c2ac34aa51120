#include "slidemesh/session/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/errors.h"
#include "support/temp_dir.h"

namespace slidemesh {
namespace {

using slidemesh::testing::TempDir;
using ::testing::HasSubstr;

void put(const std::filesystem::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// A column of words with an imputed hole, one of numbers, an intercept, three classes that are words: 4 x 3.
FeatureMap sample_map() {
  FeatureMap map;
  map.columns = {{"colour", {"blue", "red"}, 0.0}, {"size", {}, 1.25}};
  map.features = 3;
  map.label = "kind";
  map.label_words = {"ape", "bee", "cat"};
  map.labels = {LabelKind::kClass, {0.0, 1.0, 2.0}};
  map.preparation.options = {Scaling::kStandard, true};
  map.preparation.shift = {0.5, 0.5, 1.0 / 3.0};
  map.preparation.scale = {0.5, 0.5, 2.0};
  return map;
}

Model sample_model() {
  Model model;
  model.label = model.method = "ipds";
  model.rows = 4;
  model.columns = 3;
  model.parameters = Vector::Zero(12);
  model.parameters.head(6) << 0.1, -0.0, 1e-310, 1.0 / 3.0, -7e88, 0.0;
  model.loss = "softmax";
  model.set = "nuclear-norm ball, radius 2";
  model.mu = 0.5;
  model.label_values = {0.0, 1.0, 2.0};
  model.dual = Stacked::Constant(12, 2, 0.25);
  model.map = sample_map();
  model.status = Status::kTargetReached;
  model.objective = 3.5;
  model.lower_bound = 3.25;
  model.certified_gap = 0.25;
  return model;
}

TEST(ModelFile, SurvivesARoundTripBitForBit) {
  const TempDir directory;
  const Model model = sample_model();
  write_models(directory / "model.json", std::vector{model, model});
  const auto back = read_models(directory / "model.json");
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[1].rows, 4);
  EXPECT_EQ(back[1].columns, 3);
  EXPECT_EQ(back[1].loss, "softmax");
  EXPECT_EQ(back[1].set, model.set);
  EXPECT_EQ(back[1].mu, 0.5);
  EXPECT_EQ(back[1].label_values, model.label_values);
  EXPECT_EQ(back[1].dual, model.dual);
  EXPECT_EQ(back[1].status, model.status);
  EXPECT_EQ(back[1].objective, model.objective);
  EXPECT_EQ(back[1].lower_bound, model.lower_bound);
  EXPECT_EQ(back[1].certified_gap, model.certified_gap);
  for (Index i = 0; i < 12; ++i) {
    EXPECT_EQ(back[1].parameters[i], model.parameters[i]) << i;
    EXPECT_EQ(std::signbit(back[1].parameters[i]), std::signbit(model.parameters[i])) << i;
  }
}

TEST(ModelFile, KeepsAllThatNewRowsNeed) {
  const TempDir directory;
  write_models(directory / "model.json", std::vector{sample_model()});
  const FeatureMap map = read_models(directory / "model.json").front().map.value();
  const FeatureMap before = sample_map();
  EXPECT_EQ(map.columns, before.columns);
  EXPECT_EQ(map.features, before.features);
  EXPECT_EQ(map.label, before.label);
  EXPECT_EQ(map.label_words, before.label_words);
  EXPECT_EQ(map.labels.kind, before.labels.kind);
  EXPECT_EQ(map.labels.values, before.labels.values);
  EXPECT_EQ(map.preparation.options.scaling, Scaling::kStandard);
  EXPECT_TRUE(map.preparation.options.intercept);
  EXPECT_EQ(map.preparation.shift, before.preparation.shift);
  EXPECT_EQ(map.preparation.scale, before.preparation.scale);
  EXPECT_THAT(read_text(directory / "model.json"), HasSubstr("\"colour=red\""));
}

/// Files of versions that kept no data about the data still start runs.
TEST(ModelFile, WithoutDataStillStartsRuns) {
  const TempDir directory;
  Model old = sample_model();
  old.map.reset();
  write_models(directory / "model.json", std::vector{old});
  EXPECT_FALSE(find_model(directory / "model.json", "", 12).map);
  EXPECT_EQ(find_model(directory / "model.json", "", 12).parameters, old.parameters);
}

/// What is said of a good file in which one thing is changed.
std::string message(std::string_view from, std::string_view to) {
  const TempDir directory;
  const auto path = directory / "model.json";
  write_models(path, std::vector{sample_model()});
  std::string bad = read_text(path);
  const auto at = bad.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  put(path, bad.replace(at, from.size(), to));
  return error_of([&] { (void)read_models(path); });
}

TEST(ModelFile, TrustsNothingOfTheData) {
  EXPECT_THAT(message("\"features\": 3", "\"features\": 4"),
              HasSubstr("data.features: expected as many as the columns"));
  EXPECT_THAT(message("\"name\": \"size\"", "\"name\": \"colour\""), HasSubstr("a name that no other column has"));
  EXPECT_THAT(message("\"red\"", "\"aaa\""), HasSubstr("words: expected different words in the order of their bytes"));
  EXPECT_THAT(message("\"missing\": 1.25", "\"missing\": null"), HasSubstr("columns[1].missing: expected a finite"));
  EXPECT_THAT(message("\"label_kind\": \"class\"", "\"label_kind\": \"binary\""),
              HasSubstr("label_kind: expected as many"));
  EXPECT_THAT(message("\"label_kind\": \"class\"", "\"label_kind\": \"classy\""), HasSubstr("binary, real or class"));
  EXPECT_THAT(message("\"ape\",", ""), HasSubstr("label_words: expected a word for each of the label_values"));
  EXPECT_THAT(message("\"intercept\": true", "\"intercept\": false"), HasSubstr("features: expected as many features"));
  EXPECT_THAT(message("\"intercept\": true", "\"intercept\": 1"), HasSubstr("intercept: expected true or false"));
  EXPECT_THAT(message("\"standard\"", "\"max-abs\""), HasSubstr("data.shift: expected none, got an array of 3"));
  EXPECT_THAT(message("\"standard\"", "\"wild\""), HasSubstr("none, max-abs or standard"));
  EXPECT_THAT(message("2.0\n    ]", "0.0\n    ]"), HasSubstr("data.scale: expected positive numbers"));
  EXPECT_THAT(message("\"softmax\"", "\"logistic\""),
              HasSubstr("label_kind: expected what labels of the loss logistic"));
  EXPECT_THAT(message("\"softmax\"", "\"magic\""), HasSubstr("loss: expected the name of a loss"));
  EXPECT_THAT(message("\"features\": 3", "\"features\": 9223372036854775807"), HasSubstr("as many as the columns"));
}

TEST(ModelFile, TrustsNothing) {
  EXPECT_THAT(message("\"rows\": 4", "\"rows\": 4611686018427387904"), HasSubstr("models[0].rows: expected an extent"));
  EXPECT_THAT(message("\"rows\": 4", "\"rows\": 2147483648"), HasSubstr("rows x columns of at most"));
  EXPECT_THAT(message("\"rows\": 4", "\"rows\": -2"), HasSubstr("expected a count"));
  EXPECT_THAT(message("\"rows\": 4", "\"rows\": 2.5"), HasSubstr("expected a count"));
  EXPECT_THAT(message("\"dimension\": 12", "\"dimension\": 7"),
              HasSubstr("dimension: expected rows x columns = 12, got 7"));
  EXPECT_THAT(message("\"columns\": 3", "\"columns\": 2"), HasSubstr("dimension: expected rows x columns = 8, got 12"));
  EXPECT_THAT(message("0.1,", ""),
              HasSubstr("parameters: expected as many numbers as the dimension, 12, got an array of 11"));
  EXPECT_THAT(message("0.1,", "null,"), HasSubstr("parameters[0]: expected a finite number, got null"));
  EXPECT_THAT(message("0.1,", "\"NaN\","), HasSubstr("parameters[0]: expected a finite number"));
  EXPECT_THAT(message("0.1,", "1e999,"), HasSubstr("model.json:1: expected finite numbers"));
  EXPECT_THAT(message("0.1,", "NaN,"), HasSubstr("expected JSON"));
  EXPECT_THAT(message("\"label_values\"", "\"labels\""), HasSubstr("expected the field \"label_values\", got none"));
  EXPECT_THAT(message("\"models\": [", "\"models\": " + std::string(100000, '[')), HasSubstr("expected JSON"));
}

TEST(ModelFile, GivesAWarmStartOnlyWhereItFits) {
  const TempDir directory;
  const auto path = directory / "model.json";
  Model other = sample_model();
  other.label = "other";
  write_models(path, std::vector{sample_model(), other});
  EXPECT_EQ(find_model(path, "other", 12).parameters, other.parameters);
  EXPECT_THAT(error_of([&] { (void)find_model(path, "", 12); }), HasSubstr("got 2 models and no label"));
  EXPECT_THAT(error_of([&] { (void)find_model(path, "third", 12); }), HasSubstr("expected a model labelled \"third\""));
  EXPECT_THAT(error_of([&] { (void)find_model(path, "ipds", 5); }),
              HasSubstr("expected a model of dimension 5, got 12"));
}

}  // namespace
}  // namespace slidemesh
