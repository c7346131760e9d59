#include <cmath>

#include "mechanisms/elliptic.hpp"
#include "mechanisms/mechanism.hpp"

/// The kinematic program of [002], Example 1: a crank r = 1 and a rod l = 2 whose pins stay at one height,
///
///     f = r sin theta1 - l sin theta2 = 0,     A = (r cos theta1, -l cos theta2),     no companion rows,
///     v = c (-l cos theta2, -r cos theta1) + A^T a / (r^2 cos^2 theta1 + l^2 cos^2 theta2),     c = 1
///
/// with a = -k f. (The paper prints a = +k f, which is unstable: |f| then grows to its bound r + l = 3.) y in rad, f in
/// units of length; the speed c has the unit 1/(length s). Start: theta = 0.
/// Gain of the problem statement: k = 100, the smallest of the paper's range for Euler's method with a step of 1e-3 s.
/// Reference: on f = 0 theta2 = asin(r sin theta1 / l), and theta1' = -c sqrt(l^2 - r^2 sin^2 theta1) has the solution
/// sin theta1 = -sn(c l t | r^2 / l^2): theta1 is minus the amplitude of Jacobi.
namespace sunlagrange::mechanisms {
namespace {

constexpr double r = 1.0, l = 2.0;

struct SliderCrankProgram {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;

  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    using std::sin;
    f[0] = r * sin(y[0]) - l * sin(y[1]);
  }

  void draw(double, View<const double> y, Drawing& d) const {
    const Drawing::Point O{}, crank{r * std::cos(y[0]), r * std::sin(y[0])};
    const Drawing::Point slider{crank.x + l * std::cos(y[1]), crank.y - l * std::sin(y[1])};
    d.rail(O, {1.0, 0.0}, slider);
    d.block(slider, {1.0, 0.0});
    for (const Drawing::Point& p : {O, crank}) d.on_body(p, 0);
    for (const Drawing::Point& p : {crank, slider}) d.on_body(p, 1);
    d.pin(d.ground(O));
    d.pin(crank);
    d.pin(slider);
  }

  std::vector<std::string> position_names() const { return {"theta1", "theta2"}; }
  std::vector<std::string> constraint_names() const { return {"height of the pin"}; }
};

std::optional<ReferenceState> state_at(double t) {
  const double theta1 = -static_cast<double>(jacobi_amplitude(l * t, (r * r) / (l * l)));
  const double theta2 = std::asin(r * std::sin(theta1) / l);
  ReferenceState state;
  state.q = Eigen::Vector2d(theta1, theta2);
  state.v = Eigen::Vector2d(-l * std::cos(theta2), -r * std::cos(theta1));
  return state;
}

Mechanism make(int) {
  Mechanism mechanism;
  mechanism.system = make_program(SliderCrankProgram{});
  mechanism.start.q = Eigen::Vector2d::Zero();
  mechanism.t_end = 10.0;
  mechanism.gains.K_N = 100.0;
  mechanism.reference = state_at;
  mechanism.reference_source = "closed form with Jacobi's amplitude";
  return mechanism;
}

}  // namespace

MechanismEntry make_slider_crank_program() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
