// The part of ONNX's format (onnx.proto, IR version 7) that a linear model needs. A message of protocol buffers is a
// row of fields, each a number of the field and a value: a whole number, or bytes with their length before them. So no
// library is needed to write one; `tests/cli/onnx_export.py` has Debian's read it.

#include "slidemesh/session/onnx.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "slidemesh/base/atomic_file.h"
#include "slidemesh/base/fail.h"

namespace slidemesh {
namespace {

constexpr std::uint64_t kIrVersion = 7;
constexpr std::uint64_t kOpset = 13;

/// Types of a tensor's elements, by ONNX's numbers for them.
enum class Element : std::uint64_t { kFloat = 1, kInt64 = 7, kString = 8, kDouble = 11 };

/// A message, field after field.
class Message {
 public:
  Message& number(std::uint64_t field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
    return *this;
  }
  Message& bytes(std::uint64_t field, std::string_view value) {
    varint((field << 3U) | 2U);
    varint(value.size());
    text_.append(value);
    return *this;
  }
  Message& message(std::uint64_t field, const Message& value) { return bytes(field, value.text_); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) {
      text_.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    }
    text_.push_back(static_cast<char>(value));
  }

  std::string text_;
};

Message tensor(const std::string& name, Element type, std::span<const std::uint64_t> extents) {
  Message message;
  for (const std::uint64_t extent : extents) {
    message.number(1, extent);
  }
  return message.number(2, static_cast<std::uint64_t>(type)).bytes(8, name);
}

static_assert(std::endian::native == std::endian::little, "raw data has the least byte first");
template <class Number>
std::string raw(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

/// The graph as it grows.
class Graph {
 public:
  Graph(const Model& model, Element real) : model_(model), map_(*model.map), real_(real) {}

  std::string build() {
    const auto features = static_cast<std::uint64_t>(map_.features);
    outputs_ = static_cast<std::uint64_t>(model_.dimension() / map_.prepared_features());
    graph_.message(11, value("features", real_, {0, features}));
    std::string prepared = "features";
    const Preparation& preparation = map_.preparation;
    if (!preparation.shift.empty()) {
      prepared = apply("Sub", {prepared, constants("shift", preparation.shift)}, "centred");
    }
    if (!preparation.scale.empty()) {
      prepared = apply("Div", {prepared, constants("scale", preparation.scale)}, "scaled");
    }
    judge(add_product(prepared));
    graph_.bytes(2, "slidemesh");
    return whole();
  }

 private:
  /// The features' coefficients, and behind them the intercepts if there are any.
  std::string add_product(const std::string& features) {
    const Index d = map_.features;
    const Eigen::Map<const Matrix> x(model_.parameters.data(), map_.prepared_features(), static_cast<Index>(outputs_));
    std::vector<double> weights;
    for (Index j = 0; j < d; ++j) {
      for (Index c = 0; c < x.cols(); ++c) {
        weights.push_back(x(j, c));
      }
    }
    const bool numbers = map_.labels.classes() == 0;
    const bool intercept = map_.preparation.options.intercept;
    const std::string last = numbers ? "prediction" : gives_scores() ? "score" : "linear";
    const std::string product =
        apply("MatMul", {features, constants("coefficients", weights, static_cast<std::uint64_t>(d))},
              intercept ? "product" : last);
    if (!intercept) {
      return product;
    }
    const Vector row = x.row(d);
    return apply("Add", {product, constants("intercept", {row.begin(), row.end()})}, last);
  }

  [[nodiscard]] bool gives_scores() const { return model_.loss == "smoothed-hinge"; }

  /// From <a, x> to what is said of a row.
  void judge(const std::string& linear) {
    if (map_.labels.classes() == 0) {
      graph_.message(12, value("prediction", real_, {0, 1}));
      return;
    }
    const auto classes = static_cast<std::uint64_t>(map_.labels.classes());
    std::string best;
    if (gives_scores()) {
      best = apply("Squeeze", {apply("Greater", {linear, constants("zero", {0.0})}, "positive"), axis()}, "second");
      best = apply("Cast", {best}, "best", {attribute("to", static_cast<std::uint64_t>(Element::kInt64))});
    } else {
      if (outputs_ == 1) {
        const std::string second = apply("Sigmoid", {linear}, "second");
        const std::string first = apply("Sub", {constants("one", {1.0}), second}, "first");
        apply("Concat", {first, second}, "probabilities", {attribute("axis", 1)});
      } else {
        apply("Softmax", {linear}, "probabilities", {attribute("axis", 1)});
      }
      best = apply("ArgMax", {"probabilities"}, "best", {attribute("axis", 1), attribute("keepdims", 0)});
    }
    add_classes(classes);
    apply("Gather", {"classes", best}, "label", {attribute("axis", 0)});
    graph_.message(12, value("label", label_type_, {0}));
    graph_.message(12, gives_scores() ? value("score", real_, {0, 1}) : value("probabilities", real_, {0, classes}));
  }

  /// What the data calls its labels: words, whole numbers or others.
  void add_classes(std::uint64_t classes) {
    const std::vector<double>& values = map_.labels.values;
    const bool whole = std::ranges::all_of(values, [](double v) { return v == std::floor(v) && std::abs(v) < 9e15; });
    label_type_ = !map_.label_words.empty() ? Element::kString : whole ? Element::kInt64 : Element::kDouble;
    Message message = tensor("classes", label_type_, std::vector{classes});
    if (label_type_ == Element::kString) {
      for (Index c = 0; c < static_cast<Index>(classes); ++c) {
        message.bytes(6, map_.class_name(c));
      }
    } else if (label_type_ == Element::kInt64) {
      message.bytes(9, raw(std::vector<std::int64_t>(values.begin(), values.end())));
    } else {
      message.bytes(9, raw(values));
    }
    graph_.message(5, message);
  }

  /// A node of one operator; gives the name of its output.
  std::string apply(std::string_view type, const std::vector<std::string>& inputs, std::string output,
                    const std::vector<Message>& attributes = {}) {
    Message node;
    for (const std::string& input : inputs) {
      node.bytes(1, input);
    }
    node.bytes(2, output).bytes(3, output).bytes(4, type);
    for (const Message& one : attributes) {
      node.message(5, one);
    }
    graph_.message(1, node);
    return output;
  }

  static Message attribute(std::string_view name, std::uint64_t whole) {
    constexpr std::uint64_t kInt = 2;
    return Message().bytes(1, name).number(3, whole).number(20, kInt);
  }

  /// Numbers that do not change: a row of them, or `rows` x the rest.
  std::string constants(std::string name, const std::vector<double>& numbers, std::uint64_t rows = 0) {
    std::vector<std::uint64_t> extents = {numbers.size()};
    if (rows > 0) {
      extents = {rows, numbers.size() / rows};
    }
    Message message = tensor(name, real_, extents);
    message.bytes(9, real_ == Element::kFloat ? raw(std::vector<float>(numbers.begin(), numbers.end())) : raw(numbers));
    graph_.message(5, message);
    return name;
  }

  std::string axis() {
    graph_.message(
        5, tensor("axis", Element::kInt64, std::vector<std::uint64_t>{1}).bytes(9, raw(std::vector<std::int64_t>{1})));
    return "axis";
  }

  /// What goes in or comes out; an extent of 0 stands for the number of rows.
  static Message value(std::string_view name, Element type, const std::vector<std::uint64_t>& extents) {
    Message shape;
    for (const std::uint64_t extent : extents) {
      shape.message(1, extent == 0 ? Message().bytes(2, "N") : Message().number(1, extent));
    }
    const Message of_tensor = Message().number(1, static_cast<std::uint64_t>(type)).message(2, shape);
    return Message().bytes(1, name).message(2, Message().message(1, of_tensor));
  }

  [[nodiscard]] std::string whole() const {
    std::vector<std::string> names = map_.feature_names();
    names.resize(static_cast<std::size_t>(map_.features));
    Message model;
    model.number(1, kIrVersion).bytes(2, "slidemesh").bytes(6, model_.loss + " over " + model_.set);
    model.message(7, graph_).message(8, Message().bytes(1, "").number(2, kOpset));
    model.message(14, Message().bytes(1, "feature_names").bytes(2, nlohmann::json(names).dump()));
    return model.text();
  }

  const Model& model_;
  const FeatureMap& map_;
  Element real_;
  Element label_type_ = Element::kInt64;
  std::uint64_t outputs_ = 1;
  Message graph_;
};

}  // namespace

std::string to_onnx(const Model& model, const OnnxOptions& options) {
  require<UsageError>(model.map && !model.completes_a_matrix(), "onnx", "a model that computes something from features",
                      model.map ? "a completed matrix" : "one that does not say what its features are");
  return Graph(model, options.single ? Element::kFloat : Element::kDouble).build();
}

void write_onnx(const std::filesystem::path& path, const Model& model, const OnnxOptions& options) {
  atomic_write(path, to_onnx(model, options));
}

}  // namespace slidemesh
