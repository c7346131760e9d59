#include <cmath>

#include "mechanisms/mechanism.hpp"

/// Slider-crank with a spring-damper between the middles of crank and rod, and a constant push: example idaSlCrank_dns
/// of SUNDIALS.
///
///            C  pin: (a cos q, a sin q)            crank O-C, a = 0.5 m, J1 = 1 kg m^2 about O, angle q
///           / `-.                                  rod C-S, 1 m, J2 = 2 kg m^2 about S; from C to S it runs in the
///          o     `o.                               direction (cos p, sin p): p < 0 while C is above the ground line
///         /         `-.                            slider S = (x, 0), m2 = 1 kg
///        O - - - - - - - S - . - - x               F = 1 N along x at E on the prolonged rod, at x + cos p
///                              `-. E -> F          o: ends of the spring-damper, in the middles of O-C and C-S
///
/// Spring 1 N/m, free length 1 m; damper 1 N s/m, l' its rate. q = (q, x, p) [rad, m, rad]; n = 3, m = 2 (the loop
/// O-C-S in x, then in y [m]): one degree of freedom. No gravity. Start: q = pi/2, x = sqrt(3)/2, p = -pi/6, at rest.
/// Energy: kinetic plus spring. Push and damper are not in it: power = F (x + cos p)' - l'^2.
/// Check values at the start: energy (1 - sqrt(3)/4)^2 / 2 J, lambda = (1.31028856830, -1.17017059222); the signs of
/// the example are those of the library. Reference at t = 0, 2.5, 5, 7.5, 10 s: elimination to one degree of freedom,
/// eighth-order Runge-Kutta method at 1e-11 and 1e-13, which agree to 1e-11. The example's own output (rtol 1e-6) is
/// good to its five printed digits.
namespace sunlagrange::mechanisms {
namespace {

struct SliderCrank {
  double a = 0.5;                       ///< crank [m]
  double J1 = 1.0, m2 = 1.0, J2 = 2.0;  ///< [kg m^2, kg, kg m^2]
  double stiffness = 1.0, l0 = 1.0;     ///< spring [N/m], its free length [m]
  double damping = 1.0;                 ///< [N s/m]
  double push = 1.0;                    ///< F [N]

  enum { crank, slider, rod };
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 2;
  static constexpr bool constant_mass_matrix = true;

  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(crank, crank) = J1;
    M(slider, slider) = m2;
    M(rod, rod) = J2;
  }

  /// Spring length l and its gradient dl/dq.
  template <class T>
  T spring(View<const T> q, T (&gradient)[3]) const {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const T x = q[slider] - 0.5 * cos(q[rod]) - 0.5 * a * cos(q[crank]);  // from the middle of the crank
    const T y = -0.5 * sin(q[rod]) - 0.5 * a * sin(q[crank]);             // to the middle of the rod
    const T l = sqrt(x * x + y * y);
    gradient[crank] = 0.5 * a * (x * sin(q[crank]) - y * cos(q[crank])) / l;
    gradient[slider] = x / l;
    gradient[rod] = 0.5 * (x * sin(q[rod]) - y * cos(q[rod])) / l;
    return l;
  }

  template <class T>
  void applied_force(T, View<const T> q, View<const T> v, View<T> f) const {
    using std::sin;
    T gradient[3];
    const T l = spring(q, gradient);
    const T l_dot = gradient[0] * v[0] + gradient[1] * v[1] + gradient[2] * v[2];
    const T pull = stiffness * (l - l0) + damping * l_dot;
    for (int i = 0; i < 3; ++i) f[i] = -pull * gradient[i];
    f[slider] += push;
    f[rod] -= push * sin(q[rod]);
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    using std::cos;
    using std::sin;
    g[0] = q[slider] - cos(q[rod]) - a * cos(q[crank]);
    g[1] = -sin(q[rod]) - a * sin(q[crank]);
  }

  double energy(double, View<const double> q, View<const double> v) const {
    double gradient[3];
    const double stretch = spring(q, gradient) - l0;
    return 0.5 * (J1 * v[crank] * v[crank] + m2 * v[slider] * v[slider] + J2 * v[rod] * v[rod]) +
           0.5 * stiffness * stretch * stretch;
  }
  double power(double, View<const double> q, View<const double> v) const {
    double gradient[3];
    spring(q, gradient);
    const double l_dot = gradient[0] * v[0] + gradient[1] * v[1] + gradient[2] * v[2];
    return push * (v[slider] - std::sin(q[rod]) * v[rod]) - damping * l_dot * l_dot;
  }

  void draw(double, View<const double> q, Drawing& d) const {
    const Drawing::Point O{}, C{a * std::cos(q[crank]), a * std::sin(q[crank])}, S{q[slider], 0.0};
    const Drawing::Point E{S.x + std::cos(q[rod]), S.y + std::sin(q[rod])};
    const Drawing::Point middle_1{0.5 * C.x, 0.5 * C.y}, middle_2{0.5 * (C.x + S.x), 0.5 * (C.y + S.y)};
    d.rail(O, {1.0, 0.0}, S);
    d.block(S, {1.0, 0.0});
    for (const Drawing::Point& p : {O, C}) d.on_body(p, crank);
    for (const Drawing::Point& p : {C, S, E}) d.on_body(p, rod);
    d.spring(middle_1, middle_2);
    d.damper(middle_1, middle_2);
    d.pin(d.ground(O));
    d.pin(C);
    d.pin(S);
  }

  std::vector<std::string> position_names() const { return {"q", "x", "p"}; }
  std::vector<std::string> constraint_names() const { return {"loop x", "loop y"}; }
};

/// t; q, x, p; their velocities; lambda
constexpr double states[][9] = {
    {0.0, 1.570796326795, 0.8660254037844, -0.5235987755983, 0.0, 0.0, 0.0, 1.3102885683, -1.1701705922},
    {2.5, 0.07223610546584, 1.49804471815, -0.03609448680769, -1.060526553868, 0.0573688117674, 0.5292251099415,
     2.058625888, 0.01654951419},
    {5.0, -1.429996967647, 0.9390306135783, 0.5178947564899, 0.05499161053776, 0.02942223164778, -0.004440989758956,
     1.2218087447, 1.0131220401},
    {7.5, 0.180418466694, 1.487851315824, -0.0898414419825, 0.9941507551197, -0.1332475298239, -0.4909873584147,
     2.022428645, 0.028929037432},
    {10.0, 1.27567584865, 1.02357855898, -0.4988130491825, -0.239914997196, 0.1337782832158, 0.03973149599132,
     1.1137561583, -0.76250727511}};

std::optional<ReferenceState> state_at(double t) {
  for (const auto& s : states) {
    if (std::abs(t - s[0]) > 1e-12) continue;
    return ReferenceState{Eigen::Vector3d(s[1], s[2], s[3]), Eigen::Vector3d(s[4], s[5], s[6]),
                          Eigen::Vector2d(s[7], s[8])};
  }
  return std::nullopt;
}

Mechanism make(int) {
  const double pi = std::acos(-1.0);
  Mechanism mechanism;
  mechanism.system = make_system(SliderCrank{});
  mechanism.start.q = Eigen::Vector3d(0.5 * pi, 0.5 * std::sqrt(3.0), -pi / 6.0);
  mechanism.t_end = 10.0;
  mechanism.reference = state_at;
  mechanism.reference_source = "elimination to one degree of freedom, tolerances to 1e-13, at t = 0, 2.5, 5, 7.5, 10 s";
  return mechanism;
}

}  // namespace

MechanismEntry make_slider_crank() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
