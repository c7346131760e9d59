// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <map>
#include <random>

#include <Eigen/Cholesky>

#include <sunlagrange/stability/certificate.hpp>

using namespace sunlagrange;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// No false certificate: random programs with random gains, steps, bounds, methods and starts, each certified or not,
// against an integration that knows nothing of certificates.

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
  double magnitude(double a, double b) { return std::exp(uniform(std::log(a), std::log(b))); }
  int integer(int a, int b) { return std::uniform_int_distribution<int>(a, b)(engine_); }
  VectorXd vector(int n) {
    return VectorXd::NullaryExpr(n, [this] { return uniform(-1.0, 1.0); });
  }
  MatrixXd matrix(int m, int n) {
    return MatrixXd::NullaryExpr(m, n, [this] { return uniform(-1.0, 1.0); });
  }

 private:
  std::mt19937 engine_;
};

enum class Law { scalar, matrix, of_time, of_state };

/// f_i = B_i y + y^T C_i y + a_i sin(d_i y + w_i t) - shift_i = 0 with a = K f and a tangential field of its own.
struct RandomProgram {
  int n, m;
  MatrixXd B, D;
  std::vector<MatrixXd> C;
  VectorXd a, w, shift, drive, y0;
  Law kind;
  MatrixXd gain;
  double wobble;

  RandomProgram(Random& random, double eps, double rate) {
    n = random.integer(2, 4);
    m = random.integer(1, n - 1);
    B = random.matrix(m, n) + 2.0 * MatrixXd::Identity(m, n);
    D = 2.0 * random.matrix(m, n);
    for (int i = 0; i < m; ++i) C.push_back(0.4 * random.matrix(n, n));
    a = random.vector(m);
    w = 2.0 * random.vector(m);
    drive = 2.0 * random.vector(n);
    y0 = random.vector(n);
    kind = static_cast<Law>(random.integer(0, 3));
    gain = rate * MatrixXd::Identity(m, m);
    if (kind == Law::matrix) gain += 0.5 * rate * random.matrix(m, m);
    wobble = random.uniform(-0.6, 0.6);
    shift = VectorXd::Zero(m);
    const double inside = random.integer(0, 4) == 0 ? random.uniform(0.9, 1.5) : random.uniform(0.0, 0.9);
    VectorXd delta = random.vector(m);
    delta *= inside * eps / delta.norm();
    shift = error(0.0, y0) - delta;
  }

  VectorXd error(double t, const VectorXd& y) const {
    VectorXd f = B * y - shift;
    for (int i = 0; i < m; ++i) {
      f[i] += y.dot(C[static_cast<std::size_t>(i)] * y) + a[i] * std::sin(D.row(i).dot(y) + w[i] * t);
    }
    return f;
  }
  MatrixXd jacobian(double t, const VectorXd& y) const {
    MatrixXd A = B;
    for (int i = 0; i < m; ++i) {
      const MatrixXd& c = C[static_cast<std::size_t>(i)];
      A.row(i) += ((c + c.transpose()) * y).transpose() + a[i] * std::cos(D.row(i).dot(y) + w[i] * t) * D.row(i);
    }
    return A;
  }
  VectorXd time_derivative(double t, const VectorXd& y) const {
    VectorXd f_t(m);
    for (int i = 0; i < m; ++i) f_t[i] = a[i] * w[i] * std::cos(D.row(i).dot(y) + w[i] * t);
    return f_t;
  }
  MatrixXd K(double t, const VectorXd& y) const {
    if (kind == Law::of_time) return -gain * (1.0 + wobble * std::sin(3.0 * t));
    if (kind == Law::of_state) return -gain * (1.0 + wobble * std::sin(2.0 * y[0] + t));
    return -gain;
  }
  VectorXd rhs(double t, const VectorXd& y) const {
    const MatrixXd A = jacobian(t, y);
    const MatrixXd AAt = A * A.transpose();
    const VectorXd b = K(t, y) * error(t, y) - time_derivative(t, y) - A * drive;
    return drive + A.transpose() * AAt.ldlt().solve(b);
  }

  ErrorProgram program() const {
    ErrorProgram result;
    result.rhs = [this](double t, const VectorXd& y, VectorXd& v) {
      v = rhs(t, y);
      return true;
    };
    result.error = [this](double t, const VectorXd& y, VectorXd& e) {
      e = error(t, y);
      return true;
    };
    if (kind == Law::of_time)
      result.law = ConstraintDynamics::time_dependent(m, [this](double t) { return K(t, VectorXd()); });
    else if (kind == Law::of_state)
      result.law = ConstraintDynamics::state_dependent(m, [this](double t, const VectorXd& y) { return K(t, y); });
    else
      result.law = ConstraintDynamics::first_order(gain);
    result.y0 = y0;
    return result;
  }

  VectorXd step(const ButcherTable& table, double t, const VectorXd& y, double tau) const {
    std::vector<VectorXd> slope;
    VectorXd next = y;
    for (std::size_t i = 0; i < table.b.size(); ++i) {
      VectorXd stage = y;
      for (std::size_t j = 0; j < i; ++j) stage += tau * table.A[i][j] * slope[j];
      slope.push_back(rhs(t + table.c[i] * tau, stage));
    }
    for (std::size_t i = 0; i < slope.size(); ++i) next += tau * table.b[i] * slope[i];
    return next;
  }
};

/// The one-parameter family of [002, (23)], b_2 = 1 / (2 a_2).
ButcherTable second_order_table(double a) {
  return {"second order, a_2 = " + std::to_string(a), 2, {0.0, a}, {{}, {a}}, {1.0 - 0.5 / a, 0.5 / a}};
}

struct Tally {
  int runs = 0, certified = 0, stayed = 0, contradicted = 0, false_certificates = 0, left_the_ball = 0, ball_points = 0;
};

void show(const char* name, const Tally& tally) {
  BOOST_TEST_MESSAGE(name << ": " << tally.runs << " runs, " << tally.certified << " certified, " << tally.stayed
                          << " stayed below eps, " << tally.contradicted << " bounds contradicted, "
                          << tally.ball_points << " points of balls stepped, " << tally.false_certificates
                          << " false certificates, " << tally.left_the_ball << " points left the ball");
}

Tally campaign(RemainderKind kind, int runs, int steps, unsigned seed) {
  Random random(seed);
  Tally tally;
  for (int trial = 0; trial < runs; ++trial) {
    const double tau = random.magnitude(1e-3, 3e-2);
    const double eps = tau * tau * random.magnitude(0.3, 300.0);
    const RandomProgram model(random, eps, random.magnitude(0.05, 3.0) / tau);
    const int choice = random.integer(0, 4);
    const ButcherTable own = second_order_table(random.uniform(0.3, 1.0));
    const ButcherTable* known[] = {&rk1(), &rk2(), &rk3(), &rk4(), &own};
    const ButcherTable& table = *known[choice];
    CertificateOptions options;
    options.eps = eps;
    options.remainder = kind;
    options.norm = static_cast<NormKind>(random.integer(0, 2));
    if (random.integer(0, 3) == 0) options.q = random.uniform(0.5, 1.0);
    if (kind == RemainderKind::given) {
      options.remainder_constant = random.magnitude(0.1, 100.0);
      options.step_limit = random.uniform(0.9, 2.0) * tau;
    }
    const Certificate found = certify(model.program(), table, tau, steps * tau, options);
    ++tally.runs;
    tally.certified += found.certified;
    for (const CertificateFailure& failure : found.failures)
      tally.contradicted += failure.condition == CertificateCondition::remainder_bound;

    // without the certificate: an own loop, the same norm
    VectorXd y = model.y0;
    double largest = (*found.norm)(model.error(0.0, y));
    for (int n = 0; n < steps && largest < 1e6 * eps; ++n) {
      if (found.certified && kind == RemainderKind::sampled && n % 4 == 1) {
        for (int k = 0; k < 4; ++k) {  // any point of the ball stays in it
          VectorXd delta = found.norm->coordinates().inverse() * random.vector(model.m);
          delta *= (k < 3 ? 1.0 : random.uniform(0.0, 1.0)) * eps / (*found.norm)(delta);
          VectorXd point = y;
          for (int i = 0; i < 6; ++i) {
            const MatrixXd A = model.jacobian(n * tau, point);
            const MatrixXd AAt = A * A.transpose();
            point += A.transpose() * AAt.ldlt().solve(delta - model.error(n * tau, point));
          }
          if ((*found.norm)(model.error(n * tau, point)) > eps * (1.0 + 1e-9)) continue;  // not reached
          ++tally.ball_points;
          const VectorXd next = model.step(table, n * tau, point, tau);
          tally.left_the_ball += !((*found.norm)(model.error((n + 1) * tau, next)) <= eps * (1.0 + 1e-9));
        }
      }
      y = model.step(table, n * tau, y, tau);
      largest = std::max(largest, (*found.norm)(model.error((n + 1) * tau, y)));
    }
    tally.stayed += largest <= eps;
    tally.false_certificates += found.certified && !(largest <= eps * (1.0 + 1e-9));
  }
  return tally;
}

void check(const char* name, const Tally& tally) {
  show(name, tally);
  BOOST_TEST(tally.false_certificates == 0);
  BOOST_TEST(tally.left_the_ball == 0);
  BOOST_TEST(10 * tally.certified > tally.runs);
  BOOST_TEST(10 * (tally.runs - tally.stayed) > tally.runs);  // and enough that should not be certified
}

}  // namespace

BOOST_AUTO_TEST_CASE(measured_remainders) {
  check("measured", campaign(RemainderKind::measured, 10000, 20, 11));
}

BOOST_AUTO_TEST_CASE(given_constants_right_and_wrong) {
  const Tally tally = campaign(RemainderKind::given, 5000, 20, 12);
  check("given", tally);
  BOOST_TEST(tally.contradicted > 50);
}

BOOST_AUTO_TEST_CASE(sampled_bounds_hold_for_the_whole_ball) {
  const Tally tally = campaign(RemainderKind::sampled, 5000, 12, 13);
  check("sampled", tally);
  BOOST_TEST(tally.ball_points > 1000);
  BOOST_TEST(100 * tally.contradicted < tally.runs);
}
