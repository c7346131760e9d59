#include <cmath>

#include <unsupported/Eigen/MatrixFunctions>

#include <sunlagrange/elements/coordinate/damper.hpp>
#include <sunlagrange/elements/coordinate/spring.hpp>
#include <sunlagrange/elements/network/compliance.hpp>
#include <sunlagrange/elements/network/gyrator.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/junction.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>

#include "mechanisms/mechanism.hpp"

/// A loudspeaker with a filter in parallel: electrical and translational elements in one assembly.
///
///                       q1 ->  node   q2 ->
///         .---R1---L1------------o-----R2----L2---.
///         |                      | q3             )  coil in the field, B l      ___/
///     u(t)~                      R3, L3           )  ======================  cone x ->   m, c, d
///         |                      = C3             )                              ---\ .
///         '----------------------o----------------'
///
/// Units: mm, ms, g, N, mC, A, V, ohm, mH, mF, W; they fit together, and all numbers are of similar size.
/// u = 8 V cos(0.25 t / ms), 40 Hz. R1 = 0.4, L1 = 0.2; voice coil R2 = 6, L2 = 0.8; filter R3 = 5, L3 = 0.4, C3 =
/// 0.05; B l = 7 N/A, cone 25 g, suspension 0.9 mm/N, 1.2 N ms/mm of friction and radiation. At rest without charge at
/// t = 0. q = (q1, q2, q3, x) [mC, mC, mC, mm]; n = 4, m = 1, the current law q1 = q2 + q3, whose multiplier is the
/// voltage of the node. Reference: exact, matrix exponential of the linear system in (q2, q3, x, i2, i3, v, sin, cos).
namespace sunlagrange::mechanisms {
namespace {

constexpr double amplitude = 8.0, rate = 0.25;
constexpr double R1 = 0.4, L1 = 0.2, R2 = 6.0, L2 = 0.8, R3 = 5.0, L3 = 0.4, C3 = 0.05;
constexpr double Bl = 7.0, mass = 25.0, compliance = 0.9, friction = 1.2;

using Matrix8 = Eigen::Matrix<double, 8, 8>;
using Vector8 = Eigen::Matrix<double, 8, 1>;

/// z' = A z for z = (q2, q3, x, i2, i3, v, sin(rate t), cos(rate t)).
Matrix8 reduced_system() {
  Eigen::Matrix3d M, D, K = Eigen::Matrix3d::Zero();  // of M a + D v + K x = amplitude cos (1, 1, 0)
  M << L1 + L2, L1, 0.0, L1, L1 + L3, 0.0, 0.0, 0.0, mass;
  D << R1 + R2, R1, Bl, R1, R1 + R3, 0.0, -Bl, 0.0, friction;
  K(1, 1) = 1.0 / C3;
  K(2, 2) = 1.0 / compliance;
  const Eigen::Matrix3d inverse = M.inverse();
  Matrix8 A = Matrix8::Zero();
  A.block<3, 3>(0, 3).setIdentity();
  A.block<3, 3>(3, 0) = -inverse * K;
  A.block<3, 3>(3, 3) = -inverse * D;
  A.block<3, 1>(3, 7) = amplitude * inverse * Eigen::Vector3d(1.0, 1.0, 0.0);
  A(6, 7) = rate;
  A(7, 6) = -rate;
  return A;
}

ReferenceState exact_state(double t) {
  static const Matrix8 A = reduced_system();
  Vector8 z = Vector8::Zero();
  z[7] = 1.0;
  z = ((A * t).exp() * z).eval();
  const Vector8 z_dot = A * z;
  ReferenceState s;
  s.q = Eigen::Vector4d(z[0] + z[1], z[0], z[1], z[2]);
  s.v = Eigen::Vector4d(z[3] + z[4], z[3], z[4], z[5]);
  s.lambda =
      Eigen::VectorXd::Constant(1, amplitude * std::cos(rate * t) - R1 * (z[3] + z[4]) - L1 * (z_dot[3] + z_dot[4]));
  return s;
}

Mechanism make(int) {
  Assembly assembly;
  const Block q1 = assembly.add_coordinates("q1", BlockKind::electrical);
  const Block q2 = assembly.add_coordinates("q2", BlockKind::electrical);
  const Block q3 = assembly.add_coordinates("q3", BlockKind::electrical);
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("amplifier", VoltageSource<>{{0.0, amplitude, rate, 0.5 * std::acos(-1.0)}}, {q1});
  assembly.add("R1", Resistor{R1}, {q1});
  assembly.add("L1", Inductor{L1}, {q1});
  assembly.add("R2", Resistor{R2}, {q2});
  assembly.add("L2", Inductor{L2}, {q2});
  assembly.add("R3", Resistor{R3}, {q3});
  assembly.add("L3", Inductor{L3}, {q3});
  assembly.add("C3", Capacitor{C3}, {q3});
  assembly.add("node", CurrentLaw<3>{{1.0, -1.0, -1.0}, 0.0}, {q1, q2, q3});
  assembly.add("coil", LoudspeakerCoil{Bl}, {q2, x});
  assembly.add("cone", SlidingMass{mass}, {x});
  assembly.add("suspension", AxialSpringToGround{1.0 / compliance}, {x});
  assembly.add("friction", AxialDamperToGround{friction}, {x});
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start.q = Eigen::Vector4d::Zero();
  mechanism.t_end = 60.0;
  mechanism.reference = [](double t) { return std::optional(exact_state(t)); };
  mechanism.reference_source = "exact, matrix exponential, at any time";
  return mechanism;
}

}  // namespace

MechanismEntry make_loudspeaker() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
