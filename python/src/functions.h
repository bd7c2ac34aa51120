#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "bindings.h"
#include "slidemesh/core/loss.h"
#include "slidemesh/core/objective.h"

namespace slidemesh::python {

/// A node's function as the user wrote it: three functions of Python's, None where there is none.
struct UserFunctions {
  std::string name;
  py::object value;     ///< x -> f(x)
  py::object gradient;  ///< x -> the gradient
  py::object hessian;   ///< x -> the matrix of second derivatives
};

/// f with what it answered last: a step may ask for value, gradient and curvature at one point, and again at the one
/// before.
class UserFunction {
 public:
  UserFunction(std::shared_ptr<const UserFunctions> functions, Index dimension)
      : functions_(std::move(functions)), dimension_(dimension) {}

  [[nodiscard]] Index dimension() const { return dimension_; }
  [[nodiscard]] double value(ConstVectorRef x);
  [[nodiscard]] const Vector& gradient(ConstVectorRef x);
  [[nodiscard]] const Matrix& hessian(ConstVectorRef x);

 private:
  struct Answer {
    Vector x;
    std::optional<double> value;
    std::optional<Vector> gradient;
    std::optional<Matrix> hessian;
  };
  [[nodiscard]] Answer& at(ConstVectorRef x);

  std::shared_ptr<const UserFunctions> functions_;
  Index dimension_;
  std::array<Answer, 2> answers_;
  std::size_t newest_ = 0;
};

/// A Lipschitz constant of the gradient: a number, or a function of Python's that finds one when a method wants it and
/// says how many gradients that took.
class Smoothness {
 public:
  Smoothness(const std::string& name, const py::object& given);
  [[nodiscard]] double value();
  [[nodiscard]] bool is_given() const { return estimate_ == nullptr; }
  [[nodiscard]] Count calls() const { return calls_; }

 private:
  std::string name_;
  std::shared_ptr<const py::object> estimate_;
  std::optional<double> value_;
  Count calls_ = 0;
};

/// A function with a gradient, and no more: one "row".
class FunctionObjective final : public LocalObjective {
 public:
  FunctionObjective(std::shared_ptr<const UserFunctions> functions, Index dimension,
                    std::shared_ptr<Smoothness> smoothness)
      : function_(std::move(functions), dimension), smoothness_(std::move(smoothness)) {}

  [[nodiscard]] Index dimension() const override { return function_.dimension(); }
  [[nodiscard]] double value(AccessPurpose, ConstVectorRef x) override { return function_.value(x); }
  double gradient(AccessPurpose, ConstVectorRef x, VectorRef g, std::span<double>) override {
    g = function_.gradient(x);
    return function_.value(x);
  }
  [[nodiscard]] double smoothness() override { return smoothness_->value(); }
  [[nodiscard]] Count smoothness_calls() const override { return smoothness_->calls(); }

 private:
  UserFunction function_;
  std::shared_ptr<Smoothness> smoothness_;
};

/// A function with second derivatives, as a loss over one row that is the number 1: with d outputs the row's prediction
/// is x itself and its second-order polynomial that of f, so that methods which keep models of rows fit.
class FunctionLoss final : public Loss {
 public:
  FunctionLoss(std::shared_ptr<const UserFunctions> functions, Index dimension, std::shared_ptr<Smoothness> smoothness)
      : function_(std::move(functions), dimension), smoothness_(std::move(smoothness)) {}

  [[nodiscard]] std::string_view name() const override { return "a function"; }
  [[nodiscard]] LabelKind label_kind() const override { return LabelKind::kReal; }
  [[nodiscard]] Index outputs() const override { return function_.dimension(); }
  double evaluate(std::span<const double> labels, std::span<const double> predictions, std::span<double> derivatives,
                  bool want_value) const override;
  [[nodiscard]] double curvature() const override { return smoothness_->value(); }
  [[nodiscard]] bool curvature_is_certain() const override { return smoothness_->is_given(); }
  void curvatures(std::span<const double> labels, std::span<const double> predictions, std::span<const double> moves,
                  std::span<double> curvatures) const override;

 private:
  mutable UserFunction function_;  ///< remembers; one object serves one node
  std::shared_ptr<Smoothness> smoothness_;
};

/// The one row of a FunctionLoss. Its smoothness is the function's, not that of a table whose number is 1.
class FunctionRow final : public LocalObjective {
 public:
  FunctionRow(const std::shared_ptr<const UserFunctions>& functions, Index dimension,
              std::shared_ptr<Smoothness> smoothness);

  [[nodiscard]] Index dimension() const override { return row_.dimension(); }
  [[nodiscard]] Index derivative_count() const override { return row_.derivative_count(); }
  [[nodiscard]] double value(AccessPurpose purpose, ConstVectorRef x) override { return row_.value(purpose, x); }
  double gradient(AccessPurpose purpose, ConstVectorRef x, VectorRef g, std::span<double> derivatives) override {
    return row_.gradient(purpose, x, g, derivatives);
  }
  double corrected_gradient(ConstVectorRef x, std::span<const Index> rows, std::span<const double> derivatives,
                            VectorRef g) override {
    return row_.corrected_gradient(x, rows, derivatives, g);
  }
  void keep_derivatives(ConstVectorRef x, std::span<const Index> rows, std::span<double> derivatives,
                        VectorRef g) override {
    row_.keep_derivatives(x, rows, derivatives, g);
  }
  [[nodiscard]] const Loss* row_loss() const override { return row_.row_loss(); }
  void touch(AccessPurpose purpose, ConstVectorRef x, std::span<const Index> rows, const TouchVisit& visit) override {
    row_.touch(purpose, x, rows, visit);
  }
  [[nodiscard]] double smoothness() override { return smoothness_->value(); }
  [[nodiscard]] Count smoothness_calls() const override { return smoothness_->calls(); }

 private:
  std::shared_ptr<Smoothness> smoothness_;
  RowObjective row_;
};

}  // namespace slidemesh::python
