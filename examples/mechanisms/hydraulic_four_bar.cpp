#include <cmath>

#include <sunlagrange/elements/coordinate/damper.hpp>
#include <sunlagrange/elements/network/compliance.hpp>
#include <sunlagrange/elements/network/hydraulic_cylinder.hpp>
#include <sunlagrange/elements/network/inertia.hpp>
#include <sunlagrange/elements/network/junction.hpp>
#include <sunlagrange/elements/network/resistance.hpp>
#include <sunlagrange/elements/network/source.hpp>
#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/mechanism.hpp"

/// A hydraulic cylinder pushes a four-bar: hydraulic and planar elements in one assembly.
///
///                     C--------- coupler 2 m --------.D
///                    /                              /
///          crank 1 m/o M                           / rocker 1.5 m        p(t) = 15 kPa + 8 kPa sin(2 t / s)
///                  / .. cylinder                  /                       |  Vp: pipe, orifice
///                 A0   '..                       B0 (2, 0)                o-- Va: accumulator
///                (0,0)    'K (0.9, -0.3)                                  |  Vc: hose and cylinder
///
/// Units: m, kg, s, N, J; litres and kPa, whose product is J as well. Cylinder from K to the middle M of the crank,
/// area 2 l/m (20 cm^2); inertances: pipe 4, hose 1, neck of the accumulator 0.5 kPa s^2/l; orifice 6 kPa s^2/l^2,
/// laminar below 0.05 l/s; accumulator 0.05 l/kPa, charged to 15 kPa at the start. Bars uniform, 1 kg/m, gravity 9.81
/// m/s^2 downwards; pin B0 with viscous friction 2 N m s. At rest at t = 0, crank angle 1 rad. Volumes Vp, Vc, Va [l],
/// three bodies (x, y, phi): n = 12, m = 10 (junction 1, cylinder 1, pins 8), two degrees of freedom. The multiplier of
/// the junction is its pressure. No closed form; tests/reference/mixed_mechanisms_test.cpp integrates the equations
/// reduced by hand to (phi, Vp).
namespace sunlagrange::mechanisms {
namespace {

constexpr double crank_length = 1.0, coupler_length = 2.0, rocker_length = 1.5, ground_length = 2.0;
constexpr double anchor_x = 0.9, anchor_y = -0.3, area = 2.0, start_angle = 1.0;

void add_hydraulics(Assembly& assembly, const Block& crank, double length0) {
  const Block Vp = assembly.add_coordinates("Vp", BlockKind::hydraulic);
  const Block Vc = assembly.add_coordinates("Vc", BlockKind::hydraulic);
  const Block Va = assembly.add_coordinates("Va", BlockKind::hydraulic);
  for (const Block& litres : {Vp, Vc, Va}) assembly.set_natural_scale(litres, 1.0);
  assembly.add("supply", PressureSource<>{{15.0, 8.0, 2.0, 0.0}}, {Vp});
  assembly.add("pipe", HydraulicInertance{4.0}, {Vp});
  assembly.add("orifice", TurbulentResistance{6.0, 0.05}, {Vp});
  assembly.add("hose", HydraulicInertance{1.0}, {Vc});
  assembly.add("neck", HydraulicInertance{0.5}, {Va});
  assembly.add("accumulator", HydraulicAccumulator{0.05}, {Va});
  assembly.add("junction", PipeJunction<3>{{1.0, -1.0, -1.0}, -0.75}, {Vp, Vc, Va});
  assembly.add("cylinder", HydraulicCylinderToGround{area, length0, anchor_x, anchor_y}, {Vc, centre_of(crank)});
}

Mechanism make(int) {
  Assembly assembly;
  const Block crank = assembly.add_coordinates("crank", BlockKind::planar_body);
  const Block coupler = assembly.add_coordinates("coupler", BlockKind::planar_body);
  const Block rocker = assembly.add_coordinates("rocker", BlockKind::planar_body);
  const double a = crank_length, b = coupler_length, c = rocker_length;
  const double Mx = 0.5 * a * std::cos(start_angle), My = 0.5 * a * std::sin(start_angle);
  add_hydraulics(assembly, crank, std::hypot(Mx - anchor_x, My - anchor_y));
  assembly.add("crank body", PlanarRigidBody{a, a * a * a / 12.0}, {crank});
  assembly.add("coupler body", PlanarRigidBody{b, b * b * b / 12.0}, {coupler});
  assembly.add("rocker body", PlanarRigidBody{c, c * c * c / 12.0}, {rocker});
  assembly.add("crank weight", UniformGravity{a}, {centre_of(crank)});
  assembly.add("coupler weight", UniformGravity{b}, {centre_of(coupler)});
  assembly.add("rocker weight", UniformGravity{c}, {centre_of(rocker)});
  assembly.add("friction B0", RotationalDamperToGround{2.0}, {angle_of(rocker)});
  assembly.add("pin A0", RevoluteToGround{-0.5 * a, 0.0, 0.0, 0.0}, {crank});
  assembly.add("pin C", Revolute{0.5 * a, 0.0, -0.5 * b, 0.0}, {crank, coupler});
  assembly.add("pin D", Revolute{0.5 * b, 0.0, 0.5 * c, 0.0}, {coupler, rocker});
  assembly.add("pin B0", RevoluteToGround{-0.5 * c, 0.0, ground_length, 0.0}, {rocker});
  // D: where the circles about C and B0 meet above the line of their centres
  const double dx = ground_length - 2.0 * Mx, dy = -2.0 * My, d = std::hypot(dx, dy);
  const double along = (b * b - c * c + d * d) / (2.0 * d), across = std::sqrt(b * b - along * along);
  const double Dx = 2.0 * Mx + (along * dx - across * dy) / d, Dy = 2.0 * My + (along * dy + across * dx) / d;
  Mechanism mechanism;
  mechanism.system = assembly.build();
  mechanism.start.q.resize(12);
  mechanism.start.q << Mx, My, start_angle, 0.5 * (2.0 * Mx + Dx), 0.5 * (2.0 * My + Dy),
      std::atan2(Dy - 2.0 * My, Dx - 2.0 * Mx), 0.5 * (ground_length + Dx), 0.5 * Dy,
      std::atan2(Dy, Dx - ground_length), 0.0, 0.0, 0.75;
  mechanism.t_end = 3.0;
  return mechanism;
}

}  // namespace

MechanismEntry make_hydraulic_four_bar() {
  return {make};
}

}  // namespace sunlagrange::mechanisms
