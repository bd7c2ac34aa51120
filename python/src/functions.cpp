#include "functions.h"

#include <cmath>

#include "interrupts.h"
#include "slidemesh/base/errors.h"

namespace slidemesh::python {

UserFunction::Answer& UserFunction::at(ConstVectorRef x) {
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].x.size() == x.size() && answers_[i].x == x) {
      newest_ = i;
      return answers_[i];
    }
  }
  newest_ = 1 - newest_;
  answers_[newest_] = Answer{Vector(x), {}, {}, {}};
  return answers_[newest_];
}

double UserFunction::value(ConstVectorRef x) {
  Answer& answer = at(x);
  if (!answer.value) {
    const py::gil_scoped_acquire lock;
    const py::object found = call(functions_->value, to_array(x));
    try {
      answer.value = py::float_(found).cast<double>();
    } catch (const py::error_already_set&) {
      throw UsageError(functions_->name + ".value: expected a number, got " +
                       std::string(py::str(py::type::of(found).attr("__name__"))));
    }
    if (!std::isfinite(*answer.value)) {
      throw UsageError(functions_->name + ".value: expected a finite number, got " + std::to_string(*answer.value));
    }
  }
  return *answer.value;
}

const Vector& UserFunction::gradient(ConstVectorRef x) {
  Answer& answer = at(x);
  if (!answer.gradient) {
    const py::gil_scoped_acquire lock;
    Vector g(dimension_);
    from_array(call(functions_->gradient, to_array(x)), g, functions_->name + ".gradient");
    answer.gradient = std::move(g);
  }
  return *answer.gradient;
}

const Matrix& UserFunction::hessian(ConstVectorRef x) {
  Answer& answer = at(x);
  if (!answer.hessian) {
    const py::gil_scoped_acquire lock;
    const auto found =
        py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(call(functions_->hessian, to_array(x)));
    if (!found || found.ndim() != 2 || found.shape(0) != dimension_ || found.shape(1) != dimension_) {
      PyErr_Clear();
      const std::string d = std::to_string(dimension_);
      throw UsageError(functions_->name + ".hessian: expected " + d + " x " + d + " numbers, got something else");
    }
    Matrix h = Eigen::Map<const Matrix>(found.data(), dimension_, dimension_);
    const double scale = h.cwiseAbs().maxCoeff();
    if (!h.allFinite() || (h - h.transpose()).cwiseAbs().maxCoeff() > 1e-8 * scale) {
      throw UsageError(functions_->name + ".hessian: expected a symmetric matrix of finite numbers, got another");
    }
    answer.hessian = std::move(h);
  }
  return *answer.hessian;
}

Smoothness::Smoothness(const std::string& name, const py::object& given) : name_(name) {
  if (PyCallable_Check(given.ptr()) != 0) {
    estimate_ = drop_with_lock(py::object(given));
    return;
  }
  value_ = given.cast<double>();
  if (!(*value_ > 0.0) || !std::isfinite(*value_)) {
    throw UsageError(name_ + ".smoothness: expected a positive number, got " + std::to_string(*value_));
  }
}

double Smoothness::value() {
  if (!value_) {
    const py::gil_scoped_acquire lock;
    const auto [found, calls] = call(*estimate_).cast<std::pair<double, Count>>();
    value_ = found;
    calls_ = calls;
  }
  return *value_;
}

namespace {

std::shared_ptr<RowSource> the_number_one() {
  Rows one;
  one.features = 1;
  one.values = {1.0};
  one.labels = {0.0};
  return std::make_shared<MemorySource>(std::move(one));
}

}  // namespace

FunctionRow::FunctionRow(const std::shared_ptr<const UserFunctions>& functions, Index dimension,
                         std::shared_ptr<Smoothness> smoothness)
    : smoothness_(std::move(smoothness)),
      row_(the_number_one(), std::make_shared<FunctionLoss>(functions, dimension, smoothness_)) {}

namespace {

Eigen::Map<const Vector> point(std::span<const double> predictions) {
  return {predictions.data(), static_cast<Index>(predictions.size())};
}

}  // namespace

// There is one row: as many predictions as the function has variables.
double FunctionLoss::evaluate(std::span<const double> /*labels*/, std::span<const double> predictions,
                              std::span<double> derivatives, bool want_value) const {
  const Vector x = point(predictions);  // a copy: derivatives may be the same memory
  const double value = want_value ? function_.value(x) : 0.0;
  const Vector& g = function_.gradient(x);
  std::copy_n(g.data(), g.size(), derivatives.data());
  return value;
}

void FunctionLoss::curvatures(std::span<const double> /*labels*/, std::span<const double> predictions,
                              std::span<const double> /*moves*/, std::span<double> curvatures) const {
  const Matrix& h = function_.hessian(point(predictions));
  std::copy_n(h.data(), h.size(), curvatures.data());
}

}  // namespace slidemesh::python
