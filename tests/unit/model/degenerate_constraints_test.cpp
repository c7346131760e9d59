// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <sunlagrange/sundials/attachment.hpp>

#include "model/checks/degenerate_constraints.hpp"
#include "models.hpp"

/// Rows that touch zero without crossing it are refused by name; rows that only look so are none of those, and looking
/// at them costs a few evaluations, however many they are.
using namespace sunlagrange;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

const InitialState side{0.0, Vector2d(1.0, 0.0), {}};

struct UnitPoint {
  static constexpr int num_positions = 2;
  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]);
  }
};

/// A pendulum with its row squared, behind a cosine, and of no length.
struct SquaredRow : UnitPoint {
  static constexpr int num_constraints = 1;
  int form = 0;
  explicit SquaredRow(int f) : form(f) {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    using std::cos;
    const T r2 = q[0] * q[0] + q[1] * q[1];
    g[0] = form == 0 ? T((r2 - 1.0) * (r2 - 1.0)) : form == 1 ? T(1.0 - cos(r2 - 1.0)) : r2;
  }
  std::vector<std::string> constraint_names() const { return {"rod"}; }
};
/// The same squares as polynomials, whose values round to either sign: of a circle, and of a line far from the origin.
struct PolynomialRow : UnitPoint {
  static constexpr int num_constraints = 1;
  bool line = false;
  explicit PolynomialRow(bool l) : line(l) {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T x = q[0], y = q[1], x2 = x * x, y2 = y * y;
    if (line)  // (3 x + 4 y - 700)^2
      g[0] = 9.0 * x2 + 16.0 * y2 + 24.0 * x * y - 4200.0 * x - 5600.0 * y + 490000.0;
    else
      g[0] = x2 * x2 + 2.0 * x2 * y2 + y2 * y2 - 2.0 * x2 - 2.0 * y2 + 1.0;
  }
};
/// A coordinate for each row, (x_i - 1)^2.
template <int rows>
struct ManySquaredRows {
  static constexpr int num_positions = rows, num_constraints = rows;
  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    T sum = 0.0;
    for (int i = 0; i < rows; ++i) sum += 0.5 * v[i] * v[i];
    return sum;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    for (int i = 0; i < rows; ++i) g[i] = (q[i] - 1.0) * (q[i] - 1.0);
  }
};
struct SquaredVelocityRow : UnitPoint {
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    const T r = q[0] * v[0] + q[1] * v[1];
    psi[0] = r * r;
  }
  std::vector<std::string> constraint_names() const { return {"rod"}; }
};
struct CrossingRow : UnitPoint {
  static constexpr int num_constraints = 1;
  int form = 0;
  explicit CrossingRow(int f) : form(f) {}
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    using std::cos;
    const T x = q[0] - 1.0, y = q[1] - 1.0, east = q[0] - 5e5, north = q[1] - 5.5e6;
    switch (form) {
      case 0:
        g[0] = q[0] * q[1];
        break;  // two lines through the origin
      case 1:
        g[0] = q[0] * q[0] - 1e-6 * q[1];
        break;  // a parabola with y in another unit
      case 2:
        g[0] = x * x + y * y - 1e-10;
        break;  // a short rod far from the origin
      case 3:
        g[0] = (east * east + north * north - 1.0) / 2.0;
        break;  // a pendulum on a map
      case 4:
        g[0] = q[0] * q[0] - 2.5e-5;
        break;  // 5 mm beside a large angle
      case 5:
        g[0] = q[0] - 1e6 * q[1] * q[1] * q[1] * q[1];
        break;  // a flat cam at its lowest point
      default:
        g[0] = cos(q[0]) - cos(2.0 * t);  // a drive at its dead centre
    }
  }
};
struct SpeedFromRest : UnitPoint {
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void velocity_constraint(T t, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[0] * v[0] + v[1] * v[1] - 4.0 * t * t;
  }
};

/// `rods` pendulums of 1 m in a row, 1e5 m away: each gradient is small beside what it is elsewhere.
template <int rods>
struct RowOfPendulums {
  static constexpr int num_positions = 2 * rods, num_constraints = rods;
  std::shared_ptr<long> looks = std::make_shared<long>(0);
  template <class T>
  T kinetic_energy(T, View<const T>, View<const T> v) const {
    T sum = 0.0;
    for (int i = 0; i < num_positions; ++i) sum += 0.5 * v[i] * v[i];
    return sum;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    for (int i = 0; i < rods; ++i) {
      const T x = q[2 * i] - 1e5 - static_cast<double>(i), y = q[2 * i + 1];
      g[i] = (x * x + y * y - 1.0) / 2.0;
    }
  }
  void constraint_jacobian(double, View<const double> q, MatrixView<double> G) const {
    ++*looks;
    for (int i = 0; i < rods; ++i) {
      G(i, 2 * i) = q[2 * i] - 1e5 - i;
      G(i, 2 * i + 1) = q[2 * i + 1];
    }
  }
};

template <int rods>
long evaluations_of_a_look() {
  const RowOfPendulums<rods> model;
  const auto system = make_system(model);
  VectorXd q(2 * rods);
  for (int i = 0; i < rods; ++i) q.segment<2>(2 * i) = Vector2d(1e5 + i + std::cos(i), std::sin(i));
  const long before = *model.looks;
  BOOST_TEST(internal::check_degenerate_constraints(*system, 0.0, q, VectorXd::Zero(2 * rods)).finished());
  return *model.looks - before;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_that_touch_zero_without_crossing_it_are_named) {
  const auto refused = [](const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start) {
    for (const char* formulation : {"automatic", "projected", "penalty", "index3"}) {
      for (const Start treatment : {Start::consistent, Start::as_given}) {
        SimulationOptions options;
        options.formulation = formulation;
        options.start = treatment;
        options.t_end = 0.1;
        const Simulation run = simulate(system, start, options);
        BOOST_TEST(to_string(run.status.outcome) == std::string("model_error"));
        BOOST_TEST(run.report.steps == 0);
        for (const char* part : {"touches zero", "\"rod\"", "write f instead of f^2"})
          BOOST_TEST(run.status.message.find(part) != std::string::npos, run.status.message);
      }
    }
    BOOST_CHECK_EXCEPTION(num_unknowns(system, consistent_state(system, start).state), Error, [](const Error& error) {
      return std::string(error.what()).find("touches zero") != std::string::npos;
    });
  };
  refused(make_system(SquaredRow{0}), side);
  refused(make_system(SquaredRow{1}), side);
  refused(make_system(SquaredRow{2}), {0.0, Vector2d(0.0, 0.0), {}});
  refused(make_system(SquaredVelocityRow{}), side);
}

/// Where Newton's iteration ends, whose steps halve: the gradient is small there, and all values nearby are positive.
BOOST_AUTO_TEST_CASE(rows_that_touch_zero_are_named_beside_it_too) {
  for (const double off : {1e-4, 1e-5, 1e-6, 1e-7}) {
    const Vector2d q = (1.0 + off) * Vector2d(std::cos(0.3), std::sin(0.3));
    for (const int form : {0, 1})
      BOOST_TEST(
          !internal::check_degenerate_constraints(*make_system(SquaredRow{form}), 0.0, q, Vector2d::Zero()).finished());
    const Vector2d v = Vector2d(-q.y(), q.x()) + off * q;
    BOOST_TEST(!internal::check_degenerate_constraints(*make_system(SquaredVelocityRow{}), 0.0, q, v).finished());
  }
}

BOOST_AUTO_TEST_CASE(squares_written_out_are_named_though_they_round_to_negative_numbers) {
  const auto named = [](const PolynomialRow& row, const Vector2d& q) {
    return !internal::check_degenerate_constraints(*make_system(row), 0.0, q, Vector2d::Zero()).finished();
  };
  for (int k = 0; k < 40; ++k) {
    const double phi = 0.16 * k;
    for (const double off : {0.0, 1e-12, 1e-7}) {
      const Vector2d on_circle = (1.0 + off) * Vector2d(std::cos(phi), std::sin(phi));
      const Vector2d on_line = (1.0 + off) * Vector2d(100.0 + 4.0 * k, 100.0 - 3.0 * k);
      BOOST_TEST(named(PolynomialRow{false}, on_circle), k << ", " << off);
      BOOST_TEST(named(PolynomialRow{true}, on_line), k << ", " << off);
    }
  }
}

BOOST_AUTO_TEST_CASE(as_many_rows_are_named_as_are_examined) {
  const auto names = [](const std::shared_ptr<const MechanicalSystem>& system) {
    const VectorXd x = VectorXd::Ones(system->num_positions());
    const std::string message = internal::check_degenerate_constraints(*system, 0.0, x, 0.0 * x).message;
    return std::count(message.begin(), message.end(), '"') / 2;
  };
  BOOST_TEST(names(make_system(ManySquaredRows<60>{})) == 60);
  BOOST_TEST(names(make_system(ManySquaredRows<70>{})) == 64);
}

BOOST_AUTO_TEST_CASE(rows_that_cross_zero_are_none_of_those) {
  const auto accepted = [](const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start) {
    BOOST_TEST(consistent_state(system, start).report.status.message.find("touches zero") == std::string::npos);
  };
  const std::vector<Vector2d> starts = {{0.0, 0.0},  {0.0, 0.0}, {1.0, 1.0 + 1e-5}, {5e5, 5.5e6 - 1.0},
                                        {5e-3, 3e4}, {0.0, 0.0}, {0.0, 1.0}};
  for (std::size_t form = 0; form < starts.size(); ++form)
    accepted(make_system(CrossingRow{static_cast<int>(form)}), {0.0, starts[form], {}});
  accepted(make_system(SpeedFromRest{}), {0.0, Vector2d(0.0, 0.0), {}});
}

BOOST_AUTO_TEST_CASE(many_rows_are_looked_at_together) {
  const long of_four = evaluations_of_a_look<4>();
  BOOST_TEST(of_four > 3);
  BOOST_TEST(evaluations_of_a_look<40>() <= 2 * of_four);
}
