// The updates of the baselines as their papers print them: what a method of ours computes must be the same. Those of
// Frank-Wolfe's kind: frank_wolfe_forms_test.cpp.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "slidemesh/base/random.h"
#include "slidemesh/core/row_dealer.h"
#include "support/field_forms.h"

namespace slidemesh::testing {
namespace {

// Nedić, Ozdaglar and Parrilo 2010: θ⁺ = Wθ − α_t ∇f(Wθ), α_t = α/sqrt(t).
TEST(FieldForms, Dpg) {
  const Field f("path");
  Matrix theta = f.start;
  for (int t = 1; t <= kSteps; ++t) {
    const Matrix mixed = theta * f.W;
    theta = mixed - 0.4 / std::sqrt(t) * f.gradient(mixed);
  }
  expect_same(f.run("dpg", {{"step", number(0.4)}}), theta);
}

// Shi, Ling, Wu and Yin 2015: x¹ = W x⁰ − α∇f(x⁰), xᵏ⁺² = (I + W) xᵏ⁺¹ − W̃ xᵏ − α(∇f(xᵏ⁺¹) − ∇f(xᵏ)); W lazy here.
TEST(FieldForms, PgExtra) {
  const Field f("path");
  const double alpha = 0.2;
  const Matrix W = (Matrix::Identity(4, 4) + f.W) / 2.0;
  const Matrix W_tilde = (Matrix::Identity(4, 4) + W) / 2.0;
  Matrix last = f.start;
  Matrix x = last * W - alpha * f.gradient(last);
  for (int k = 1; k < kSteps; ++k) {
    const Matrix next = x + x * W - last * W_tilde - alpha * (f.gradient(x) - f.gradient(last));
    last = x;
    x = next;
  }
  expect_same(f.run("pg-extra", {{"step", number(alpha)}}), x);
}

// Li, Shi and Yan 2019: x¹ = x⁰ − α∇f(x⁰), xᵏ⁺¹ = (I + W)/2 (2xᵏ − xᵏ⁻¹ − α(∇f(xᵏ) − ∇f(xᵏ⁻¹))).
TEST(FieldForms, Nids) {
  const Field f("path");
  const double alpha = 0.2;
  Matrix last = f.start;
  Matrix x = last - alpha * f.gradient(last);
  for (int k = 1; k < kSteps; ++k) {
    const Matrix next =
        (2.0 * x - last - alpha * (f.gradient(x) - f.gradient(last))) * (Matrix::Identity(4, 4) + f.W) / 2.0;
    last = x;
    x = next;
  }
  expect_same(f.run("nids", {{"step", number(alpha)}}), x);
}

// Ling, Shi, Wu and Ribeiro 2015: x_i⁺ = x_i − (∇f_i(x_i) + c Σ_j (x_i − x_j) + φ_i)/(2c deg_i + ρ),
// φ⁺ = φ + c Lap x⁺.
TEST(FieldForms, Dlm) {
  const Field f("path");
  const double c = 0.7;
  const double rho = 1.0 / 0.02;
  Matrix x = f.start;
  Matrix phi = Matrix::Zero(5, 4);
  for (int k = 0; k < kSteps; ++k) {
    const Matrix right = f.gradient(x) + c * x * f.lap + phi;
    for (Index i = 0; i < 4; ++i) {
      x.col(i) -= right.col(i) / (2.0 * c * f.lap(i, i) + rho);
    }
    phi += c * x * f.lap;
  }
  expect_same(f.run("dlm", {{"c", number(c)}, {"step", number(0.02)}}), x);
}

// Mokhtari, Shi, Ling and Ribeiro 2016: the same with ∇²f_i(x_i) in place of ρ.
TEST(FieldForms, Dqm) {
  const Field f("path");
  const double c = 0.7;
  Matrix x = f.start;
  Matrix phi = Matrix::Zero(5, 4);
  for (int k = 0; k < kSteps; ++k) {
    const Matrix right = f.gradient(x) + c * x * f.lap + phi;
    for (Index i = 0; i < 4; ++i) {
      const Matrix curved = 2.0 * c * f.lap(i, i) * Matrix::Identity(5, 5) + f.hessian(i);
      x.col(i) -= curved.ldlt().solve(right.col(i));
    }
    phi += c * x * f.lap;
  }
  const Matrix ours = f.run("dqm", {{"c", number(c)}});
  EXPECT_LT((ours - x).norm(), 1e-3 * x.norm());  // local problems are solved to a share of their gap
}

// Shi, Ling, Yuan, Wu and Yin 2014: ∇f_i(x_i⁺) + φ_i + 2c deg_i x_i⁺ − c Σ_j (x_i + x_j) = 0, solved exactly.
TEST(FieldForms, Dadmm) {
  const Field f("path");
  const double c = 2.0;
  Matrix x = f.start;
  Matrix phi = Matrix::Zero(5, 4);
  const Matrix at_zero = f.gradient(Matrix::Zero(5, 4));
  for (int k = 0; k < kSteps; ++k) {
    const Matrix before = x;
    for (Index i = 0; i < 4; ++i) {
      Vector neighbours = Vector::Zero(5);
      for (const Index j : f.toy.network->graph().neighbours(i)) {
        neighbours += before.col(i) + before.col(j);
      }
      const Matrix curved = f.hessian(i) + 2.0 * c * f.lap(i, i) * Matrix::Identity(5, 5);
      x.col(i) = curved.ldlt().solve(c * neighbours - phi.col(i) - at_zero.col(i));
    }
    phi += c * x * f.lap;
  }
  expect_same(f.run("dadmm", {{"c", number(c)}, {"inner_steps", whole(400)}}), x);
}

// Kovalev, Salim and Richtárik 2020, Algorithm 2 with P(W) of section 5.3 by its roots' form: c₁ and its powers.
TEST(FieldForms, Opapc) {
  const Field f("path");
  const double chi = f.spectrum.lambda_max / f.spectrum.lambda_2;
  const int T = static_cast<int>(std::floor(std::sqrt(chi)));
  const double c1 = (std::sqrt(chi) - 1.0) / (std::sqrt(chi) + 1.0);
  const double c2 = (chi + 1.0) / (chi - 1.0);
  const double c3 = 2.0 * chi / ((1.0 + chi) * f.spectrum.lambda_max);
  const double power = std::pow(c1, T);
  const double tau = std::min(1.0, (1.0 + power) / (2.0 * (1.0 - power) * std::sqrt(f.L / kMu)));
  const double eta = 1.0 / (4.0 * tau * f.L);
  const double theta = (1.0 + power * power) / (eta * (1.0 + power) * (1.0 + power));
  // The accelerated gossip, as its algorithm prints it.
  const auto gossip = [&](const Matrix& x) -> Matrix {
    double a0 = 1.0;
    double a1 = c2;
    Matrix x0 = x;
    Matrix x1 = c2 * (x - c3 * x * f.lap);
    for (int i = 1; i < T; ++i) {
      const double a2 = 2.0 * c2 * a1 - a0;
      const Matrix x2 = 2.0 * c2 * (x1 - c3 * x1 * f.lap) - x0;
      a0 = a1;
      a1 = a2;
      x0 = x1;
      x1 = x2;
    }
    return x - x1 / a1;
  };
  Matrix x = f.start;
  Matrix x_f = x;
  Matrix y = Matrix::Zero(5, 4);
  for (int k = 0; k < kSteps; ++k) {
    const Matrix x_g = tau * x + (1.0 - tau) * x_f;
    const Matrix forward = f.gradient(x_g) - kMu * x_g;
    const Matrix half = (x - eta * (forward + y)) / (1.0 + eta * kMu);
    y += theta * gossip(half);
    const Matrix next = (x - eta * (forward + y)) / (1.0 + eta * kMu);
    x_f = x_g + 2.0 * tau / (2.0 - tau) * (next - x);
    x = next;
  }
  expect_same(f.run("opapc"), x);
}

// Li, Fang and Lin 2017: (1 − θ_{k+1})/θ_{k+1} = 1/θ_k, the penalty β₀/θ_k, step 1/(L + β₀/θ_k); here (I − W)/2.
TEST(FieldForms, Apm) {
  const Field f("path");
  const double beta = 3.0;
  Matrix x = f.start;
  Matrix last = x;
  double theta = 1.0;
  double before = 1.0;
  const Matrix spread = (Matrix::Identity(4, 4) - f.W) / 2.0;
  for (int k = 0; k < kSteps; ++k) {
    const Matrix y = x + theta * (1.0 - before) / before * (x - last);
    last = x;
    x = y - (f.gradient(y) + beta / theta * y * spread) / (f.L + beta / theta);
    before = theta;
    theta = before / (1.0 + before);
  }
  expect_same(f.run("apm", {{"penalty", number(beta)}}), x);
}

// Xin, Khan and Kar 2020: xᵏ⁺¹ = W xᵏ − α yᵏ, yᵏ⁺¹ = W yᵏ + gᵏ⁺¹ − gᵏ; with batches of all rows SAGA's estimate is the
// gradient.
TEST(FieldForms, GtSaga) {
  const Field f("path");
  const double alpha = 0.03;
  Matrix x = f.start;
  Matrix g = f.gradient(x);
  Matrix y = g;
  for (int k = 0; k < kSteps; ++k) {
    x = (x * f.W - alpha * y).eval();
    const Matrix next = f.gradient(x);
    y = (y * f.W + next - g).eval();
    g = next;
  }
  expect_same(f.run("gt-saga", {{"step", number(alpha)}, {"batch", whole(15)}}), x);
}

// The same with a few rows per step: SAGA's estimate from a table of the rows' last gradients, all of them touched
// first.
TEST(FieldForms, GtSagaFromAFewRows) {
  const Field f("path");
  const double alpha = 0.03;
  const int batch = 4;
  RowTable table(f, 1);
  Matrix x = f.start;
  Matrix y = Matrix::Zero(5, 4);
  Matrix last = y;
  for (int k = 0; k < kSteps; ++k) {
    const Matrix g = table.saga(x, k == 0 ? 15 : batch) + kMu * x;
    y = (y * f.W + g - last).eval();
    x = (x * f.W - alpha * y).eval();
    last = g;
  }
  expect_same(f.run("gt-saga", {{"step", number(alpha)}, {"batch", whole(batch)}}), x);
}

// ---- communication sliding, and what solves its local problems ----

constexpr double kScale = 1.7;
constexpr int kInner = 4;  ///< gradients between two exchanges

Value::Table sliding_keys() {
  return {{"scale", number(kScale)}, {"inner_steps", whole(kInner)}, {"output", Value{std::string("average")}}};
}

/// u and û of the local problems at x with w = Lap y, in outer step k.
using LocalProblems = std::function<std::pair<Matrix, Matrix>(int k, const Matrix& x, const Matrix& w, double eta)>;

/// Lan, Lee and Zhou 2020, Algorithm 2: α_k = 1, η = 2|Lap| s, τ = |Lap|/s; the mean of x̂¹ .. x̂ᴺ.
Matrix communication_sliding(const Field& f, const LocalProblems& solve) {
  const double eta = 2.0 * f.spectrum.lambda_max * kScale;
  const double tau = f.spectrum.lambda_max / kScale;
  Matrix x = f.start;
  Matrix hat = x;
  Matrix last = x;
  Matrix y = Matrix::Zero(5, 4);
  Matrix sum = Matrix::Zero(5, 4);
  for (int k = 1; k <= kSteps; ++k) {
    const Matrix tilde = (hat - last) + x;
    y += tilde * f.lap / tau;
    last = x;
    std::tie(x, hat) = solve(k, last, y * f.lap, eta);
    sum += hat;
  }
  return sum / kSteps;
}

/// The CS procedure, λ_t = t + 1 and β_t = t/2, with gradients by (k, t, u).
LocalProblems cs_procedure(const std::function<Matrix(int, int, const Matrix&)>& gradient) {
  return [gradient](int k, const Matrix& x, const Matrix& w, double eta) {
    Matrix u = x;
    Matrix weighted = Matrix::Zero(5, 4);
    double weight = 0.0;
    for (int t = 1; t <= kInner; ++t) {
      // 0 = h + w + η (u⁺ − x) + ηβ_t (u⁺ − u)
      u = ((eta * x + eta * t / 2.0 * u - gradient(k, t, u) - w) / (eta * (1.0 + t / 2.0))).eval();
      weighted += (t + 1.0) * u;
      weight += t + 1.0;
    }
    return std::pair<Matrix, Matrix>(u, weighted / weight);
  };
}

TEST(FieldForms, Dcs) {
  const Field f("path");
  const auto exact = [&](int, int, const Matrix& u) { return f.gradient(u); };
  expect_same(f.run("dcs", sliding_keys()), communication_sliding(f, cs_procedure(exact)));
}

// Algorithm 3: h is the mean over rows drawn with replacement, a fresh draw for every gradient of every step.
TEST(FieldForms, Sdcs) {
  const Field f("path");
  const int batch = 3;
  const auto sampled = [&](int k, int t, const Matrix& u) {
    Matrix h(5, 4);
    for (Index i = 0; i < 4; ++i) {
      h.col(i) = f.toy.problem.mu * u.col(i);
      for (std::uint64_t draw = 0; draw < batch; ++draw) {
        const auto number = static_cast<std::uint32_t>(k * kInner + t - 1);
        const Index row =
            bits_to_index(random_bits(1, Purpose::kRowSampling, static_cast<std::uint32_t>(i), number, draw), 15);
        Vector one(5);
        f.toy.problem.objectives[static_cast<std::size_t>(i)]->sampled_gradient(u.col(i), std::vector<Index>{row}, one);
        h.col(i) += one / batch;
      }
    }
    return h;
  };
  Value::Table keys = sliding_keys();
  keys["batch"] = whole(batch);
  const Matrix papers = communication_sliding(f, cs_procedure(sampled));
  expect_same(f.run("sdcs", keys), papers);
  keys["batch"] = whole(15);  // all that a node has: the exact gradient
  expect_same(f.run("sdcs", keys), f.run("dcs", sliding_keys()));
  EXPECT_GT((f.run("dcs", sliding_keys()) - papers).norm(), 1e-3);
}

/// Lan and Zhou 2016: the CndG procedure, conditional gradients on β/2 |u − centre|² over the l1 ball from u until
/// max over v of <β(u − centre), u − v> <= tolerance.
Vector conditional_gradient(double beta, const Vector& centre, double tolerance, double radius, Vector u) {
  for (;;) {
    const Vector slope = beta * (u - centre);
    Index largest = 0;
    slope.cwiseAbs().maxCoeff(&largest);
    Vector v = Vector::Zero(u.size());
    v(largest) = slope(largest) > 0.0 ? -radius : radius;
    const double gap = slope.dot(u - v);
    if (gap <= tolerance) {
      return u;
    }
    u += std::min(1.0, gap / (beta * (v - u).squaredNorm())) * (v - u);
  }
}

// Li, Qu and Xu 2018: local problems by conditional gradient sliding, γ_t = 3/(t + 2), β_t = 3L'/(t + 1) with
// L' = L + η, to L'δ²/(t (t + 1)) with δ = D/k; in a ball that is active.
TEST(FieldForms, Dcgs) {
  const double radius = 1.0;
  const Field f("path", kMu, radius);
  int vertices = 0;
  const Matrix papers = communication_sliding(f, [&](int k, const Matrix& x, const Matrix& w, double eta) {
    const double curvature = f.L + eta;
    const double reach = 2.0 * radius / k;
    Matrix inner = x;
    Matrix y = x;
    for (int t = 1; t <= kInner; ++t) {
      const double gamma = 3.0 / (t + 2.0);
      const double beta = 3.0 * curvature / (t + 1.0);
      const Matrix z = (1.0 - gamma) * y + gamma * inner;
      const Matrix g = f.gradient(z) + w + eta * (z - x);
      for (Index i = 0; i < 4; ++i) {
        const Vector before = inner.col(i);
        inner.col(i) = conditional_gradient(beta, before - g.col(i) / beta, curvature * reach * reach / (t * (t + 1.0)),
                                            radius, before);
        vertices += inner.col(i) == before ? 0 : 1;
      }
      y = ((1.0 - gamma) * y + gamma * inner).eval();
    }
    return std::pair<Matrix, Matrix>(y, y);
  });
  EXPECT_GT(vertices, 20);  // tolerances that ask for work
  expect_same(f.run("dcgs", sliding_keys()), papers);
}

// Duchi, Agarwal and Wainwright 2012: z⁺ = P z + g(x), x⁺ = argmin <z⁺, x> + |x − x_0|²/(2α_t); the output is the mean.
TEST(FieldForms, DualAveraging) {
  const Field f("path");
  const double alpha = 0.1;
  Matrix z = Matrix::Zero(5, 4);
  Matrix x = f.start;
  Matrix sum = Matrix::Zero(5, 4);
  for (int t = 1; t <= kSteps; ++t) {
    z = (z * f.W + f.gradient(x)).eval();
    x = f.start - alpha / std::sqrt(t) * z;
    sum += x;
  }
  expect_same(f.run("dual-averaging", {{"step", number(alpha)}}), sum / kSteps);
  expect_same(f.run("dual-averaging", {{"step", number(alpha)}, {"output", Value{std::string("last")}}}), x);
}

}  // namespace
}  // namespace slidemesh::testing
