#include "mechanisms/random_chain.hpp"

#include <cmath>

#include <sunlagrange/elements/planar/revolute.hpp>
#include <sunlagrange/elements/planar/rigid_body.hpp>
#include <sunlagrange/elements/planar/uniform_gravity.hpp>

#include "mechanisms/draw.hpp"

namespace sunlagrange::mechanisms {
namespace {

constexpr double gravity = 9.81;

double log_between(double low, double high, Draw& draw) {
  return std::exp(draw.between(std::log(low), std::log(high)));
}

}  // namespace

Mechanism random_chain(unsigned long seed) {
  Draw draw(seed);
  const int size = static_cast<int>(draw.between(2.0, 9.0));
  Assembly assembly;
  Mechanism mechanism;
  mechanism.start.q.resize(3 * size);
  mechanism.start.v.resize(3 * size);
  std::vector<double> length, mass, angle;
  double whole = 0.0;
  for (int k = 0; k < size; ++k) {
    length.push_back(log_between(0.2, 2.0, draw));
    mass.push_back(log_between(0.1, 10.0, draw));
    angle.push_back(draw.between(-3.0, 3.0));
    whole += length.back();
  }
  const double fastest = std::sqrt(gravity / whole);
  Eigen::Vector2d pin(0.0, 0.0), pin_velocity(0.0, 0.0);
  Block previous;
  for (int k = 0; k < size; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const std::string name = std::to_string(k + 1);
    const double L = length[i];
    const Block body = assembly.add_coordinates("rod " + name, 3);
    assembly.add("inertia " + name, PlanarRigidBody{mass[i], mass[i] * L * L / 12.0}, {body});
    assembly.add("weight " + name, UniformGravity{mass[i], 0.0, -gravity}, {centre_of(body)});
    if (k == 0)
      assembly.add("pin 1", RevoluteToGround{-0.5 * L, 0.0, 0.0, 0.0}, {body});
    else
      assembly.add("pin " + name, Revolute{0.5 * length[i - 1], 0.0, -0.5 * L, 0.0}, {previous, body});
    const double rate = draw.between(-fastest, fastest);
    const Eigen::Vector2d along(std::cos(angle[i]), std::sin(angle[i]));
    const Eigen::Vector2d across(-along[1], along[0]);
    mechanism.start.q.segment<3>(3 * k) << pin + 0.5 * L * along, angle[i];
    mechanism.start.v.segment<3>(3 * k) << pin_velocity + 0.5 * L * rate * across, rate;
    pin += L * along;
    pin_velocity += L * rate * across;
    previous = body;
  }
  mechanism.system = assembly.build();
  return mechanism;
}

}  // namespace sunlagrange::mechanisms
