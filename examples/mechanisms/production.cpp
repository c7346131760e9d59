#include <array>
#include <cmath>

#include "mechanisms/mechanism.hpp"
#include "mechanisms/quadrature.hpp"

/// Two enterprises of variable funds and a common plan [003, introduction and the economic row of the table]: a
/// production system in the manner of the mechanics of variable mass.
///
///     enterprise k:  capital per capacity m_k(t), capacity v_k = x_k', output x_k, funds w_k = m_k v_k
///
///                    w_k' = F_k - mu w_k - lambda       investment, wear, what the plan draws
///                    x_1 + x_2 = X(t)                   the plan
///
///     F1 --> [ m1, v1 ] --x1--.
///                              +--> plan X(t) = 4 t + 0.6 t^2
///     F2 --> [ m2, v2 ] --x2--'
///
/// Technology becomes more expensive in both alike, m_k = c_k exp(0.1 t) with c = (2, 3); wear mu = 0.25 per year, F =
/// (3, 2) per year. The equation is that of a body whose mass comes and goes without velocity, (m v)' = force. n = 2, m
/// = 1; lambda is the control that keeps the plan: funds that each must give up (or, negative, gets) per year. Start:
/// half the plan's rate each. Years, units of output, units of money. Reference: w_1 - w_2 obeys a linear equation, the
/// plan gives the other combination; closed form but for x_k, a quadrature.
namespace sunlagrange::mechanisms {
namespace {

constexpr double growth = 0.1, wear = 0.25, F1 = 3.0, F2 = 2.0, c1 = 2.0, c2 = 3.0;
constexpr double plan_rate = 4.0, plan_growth = 0.6;  // X = plan_rate t + plan_growth t^2

/// Coordinate: output x of one enterprise.
struct Enterprise {
  double c = 1.0;  ///< capital per capacity at t = 0
  double F = 1.0;  ///< investment

  static constexpr int num_positions = 1;
  static constexpr std::array<BlockKind, 1> blocks{BlockKind::economic};

  template <class T>
  T kinetic_energy(T t, View<const T>, View<const T> v) const {
    using std::exp;
    return 0.5 * c * exp(growth * t) * v[0] * v[0];
  }
  template <class T>
  T dissipation(T t, View<const T>, View<const T> v) const {
    using std::exp;
    return 0.5 * wear * c * exp(growth * t) * v[0] * v[0];
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[0] = T(F);
  }
};

struct Plan {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  static constexpr std::array<BlockKind, 2> blocks{BlockKind::economic, BlockKind::economic};

  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    g[0] = q[0] + q[1] - (plan_rate + plan_growth * t) * t;
  }
};

/// v1 and its rate, from w1 - w2 = D and w1 / c1 + w2 / c2 = exp(growth t) X'.
struct Capacity {
  double v, a;

  explicit Capacity(double t) {
    const double D0 = 0.5 * plan_rate * (c1 - c2), balance = (F1 - F2) / wear;
    const double decay = std::exp(-wear * t);
    const double D = balance + (D0 - balance) * decay, D_dot = -wear * (D0 - balance) * decay;
    const double E = std::exp(growth * t), plan = plan_rate + 2.0 * plan_growth * t;
    v = (D / E + c2 * plan) / (c1 + c2);
    a = ((D_dot - growth * D) / E + c2 * 2.0 * plan_growth) / (c1 + c2);
  }
};

ReferenceState exact_state(double t) {
  const Capacity one(t);
  const double x1 = integral_from_zero([](double time) { return Capacity(time).v; }, t, 0.5);
  const double plan = (plan_rate + plan_growth * t) * t, m1 = c1 * std::exp(growth * t);
  ReferenceState s;
  s.q = Eigen::Vector2d(x1, plan - x1);
  s.v = Eigen::Vector2d(one.v, plan_rate + 2.0 * plan_growth * t - one.v);
  s.lambda = Eigen::VectorXd::Constant(1, F1 - m1 * one.a - (growth + wear) * m1 * one.v);
  return s;
}

Mechanism make(int) {
  Assembly assembly;
  const Block x1 = assembly.add_coordinates("x1", BlockKind::economic);
  const Block x2 = assembly.add_coordinates("x2", BlockKind::economic);
  assembly.add("enterprise 1", Enterprise{c1, F1}, {x1});
  assembly.add("enterprise 2", Enterprise{c2, F2}, {x2});
  assembly.add("plan", Plan{}, {x1, x2});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start = {0.0, Eigen::Vector2d::Zero(), Eigen::Vector2d::Constant(0.5 * plan_rate)};
  mechanism.t_end = 8.0;
  mechanism.reference = [](double t) { return std::optional(exact_state(t)); };
  mechanism.reference_source = "closed form and a quadrature, at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_production() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
