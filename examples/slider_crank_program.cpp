// The kinematic program of [002], Example 1: two angles turn so that r sin theta1 - l sin theta2 = 0 stays true. One
// says how the mechanism moves along its constraint (here: at unit speed) and how errors die out (f' = -k f); the
// library builds the velocity. Euler's method with a step of 1e-3 s shows what the gain k does.

#include <cmath>
#include <cstdio>

#include <sunlagrange/sunlagrange.hpp>

using namespace sunlagrange;

struct SliderCrank {
  double r = 1.0, l = 2.0;  // crank and rod
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;

  template <class T>
  void constraint(T, View<const T> y, View<T> f) const {
    f[0] = r * sin(y[0]) - l * sin(y[1]);
  }
};

// The sign as printed in the paper: f' = +k f.
struct SliderCrankAsPrinted : SliderCrank {
  double k = 100.0;

  template <class T>
  void feedback(T, View<const T>, View<const T> f, View<T> a) const {
    a[0] = k * f[0];
  }
};

double largest_violation(const std::shared_ptr<const MechanicalSystem>& program, const char* formulation, double k) {
  SimulationOptions options;
  options.formulation = formulation;
  if (k > 0.0) options.gains.K_N = k;
  options.integrator = "rk1";
  options.step = 1e-3;
  options.t_end = 10.0;
  const Simulation run = simulate(program, {0.0, Eigen::Vector2d::Zero(), {}}, options);
  return run.status.finished() ? run.report.max_position_violation : NAN;
}

int main() {
  const double step = 1e-3;
  const auto program = make_program(SliderCrank{});  // n - m = 1: no companion rows, velocity (A2, -A1)
  bool good = true;
  std::printf("largest |f| in 10 s, Euler, step %g s\n", step);
  for (const double k : {10.0, 100.0, 1000.0, 1900.0}) {
    const double f = largest_violation(program, "integral_manifold", k);
    std::printf("  k = %6g /s   %.3e   1.5 step / k = %.3e\n", k, f, 1.5 * step / k);
    good = good && std::fabs(f * k / (1.5 * step) - 1.0) < 0.1;
  }
  const double beyond = largest_violation(program, "integral_manifold", 2010.0);
  std::printf("  k =   2010 /s   %.3e   beyond 2 / step: unstable\n", beyond);
  const double drift = largest_violation(program, "elimination", 0.0);
  std::printf("  elimination     %.3e   the drift without feedback\n", drift);
  const double printed = largest_violation(make_program(SliderCrankAsPrinted{}), "integral_manifold", 0.0);
  std::printf("  sign as printed %.3e   |f| cannot exceed r + l = 3\n", printed);
  return good && beyond > 0.1 && drift > 1e-4 && printed > 2.9 ? 0 : 1;
}
