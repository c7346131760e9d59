// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "registered_elements.hpp"

/// The laws of element_laws.hpp for everything in elements.inc that acts on points and bodies of space. A new element
/// takes part by itself; here stand more sets of parameters, and the other ends, than its defaults.
using namespace sunlagrange;
using namespace sunlagrange::test;

namespace {

constexpr Frame ground = Frame::ground, internal = Frame::internal;
const BodyEnd off({0.3, -0.2, 0.1}, {0.2, 0.5, -0.7}), other({-0.4, 0.1, 0.5}, {0.6, -0.3, 0.2});
const GroundEnd place({0.7, -0.4, 0.2}, {-0.3, 0.2, 0.8});

/// v -> force or torque that depends on everything.
struct Drag {
  template <class T>
  spatial::Vector3<T> operator()(const T& t, const spatial::Vector3<T>& x, const spatial::Vector3<T>& rate) const {
    return {-0.3 * rate[0] + t, -0.2 * rate[1] * x[2], 0.1 * x[0] * x[0]};
  }
};

struct More {
  template <class E, class Visit>
  void operator()(Type<E>, Visit&&) const {}

  template <class Visit>
  void operator()(Type<SpatialBody>, Visit&& visit) const {
    visit("heavy", SpatialBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2, 0.3, 0.4, 0.7, -9.81}, ground);
  }
  template <class Visit>
  void operator()(Type<SpatialSolid>, Visit&& visit) const {
    visit("box", SpatialSolid{1.3, shape::Box{0.5, 0.2, 0.1}}, internal);
    visit("cylinder", SpatialSolid{1.3, shape::Cylinder{0.5, 0.2}}, internal);
    visit("heavy sphere", SpatialSolid{1.3, shape::Sphere{0.5}, 0.4, 0.7, -9.81}, ground);
  }
  template <class Visit>
  void operator()(Type<SpatialParticle>, Visit&& visit) const {
    visit("heavy", SpatialParticle{1.3, 0.4, 0.7, -9.81}, ground);
  }
  template <class Visit>
  void operator()(Type<SpatialRigidBody>, Visit&& visit) const {
    visit("products of inertia", SpatialRigidBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2}, internal);
    visit("singular mass", SpatialRigidBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2, 0.0}, internal);
  }
  template <class Visit>
  void operator()(Type<SpatialAppliedForce<>>, Visit&& visit) const {
    visit("drag", SpatialAppliedForce(off, Drag()), ground);
    visit("drag on a point", SpatialAppliedForce(PointEnd(), Drag()), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialAppliedTorque<>>, Visit&& visit) const {
    visit("drag", SpatialAppliedTorque(Drag(), {0.6, 0.0, 0.8}), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialSpringDamper<>>, Visit&& visit) const {
    visit("off the centres", SpatialSpringDamper(off, other, 2.0, 0.4, 0.3), internal);
    visit("ground and body", SpatialSpringDamper(place, off, 2.0, 0.4, 0.3), ground);
    visit("point and body", SpatialSpringDamper(PointEnd(), off, 2.0, 0.0, 0.3), internal);
  }
  template <class Visit>
  void operator()(Type<SpatialTorsionSpring<>>, Visit&& visit) const {
    visit("skew", SpatialTorsionSpring(off, other, 2.0, 0.4, 0.3), internal);
    visit("body and ground", SpatialTorsionSpring(off, place, 2.0, 0.4, 0.3), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialAxialSpring<>>, Visit&& visit) const {
    visit("skew", SpatialAxialSpring(off, other, 2.0, 0.4, 0.3), internal);
    visit("body and ground", SpatialAxialSpring(off, place, 2.0, 0.4, 0.3), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialDistance<>>, Visit&& visit) const {
    visit("points", SpatialDistance(PointEnd(), PointEnd(), 1.3), internal);
    visit("body and ground", SpatialDistance(off, place, 1.3), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialSpherical<>>, Visit&& visit) const {
    visit("point and body", SpatialSpherical(PointEnd(), off), internal);
    visit("body and ground", SpatialSpherical(off, place), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialRevolute<>>, Visit&& visit) const {
    visit("off the centres", SpatialRevolute(off, other), internal);
    visit("ground and body", SpatialRevolute(place, off), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialUniversal<>>, Visit&& visit) const {
    visit("body and ground", SpatialUniversal(off, place), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialCylindrical<>>, Visit&& visit) const {
    visit("off the centres", SpatialCylindrical(off, other), internal);
    visit("ground and body", SpatialCylindrical(place, off), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialPrismatic<>>, Visit&& visit) const {
    visit("off the centres", SpatialPrismatic(off, other), internal);
    visit("body and ground", SpatialPrismatic(off, place), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialFixed<>>, Visit&& visit) const {
    visit("body and ground", SpatialFixed(off, place), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialPrescribedPoint<>>, Visit&& visit) const {
    visit("point", SpatialPrescribedPoint(PointEnd(), place, Harmonic{0.4, 0.3, 2.0, 0.1}), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialDrivenHinge<>>, Visit&& visit) const {
    visit("ground and body", SpatialDrivenHinge(place, off, Harmonic{0.4, 0.3, 2.0, 0.1}), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialDrivenSlide<>>, Visit&& visit) const {
    visit("ground and body", SpatialDrivenSlide(place, off, Harmonic{0.4, 0.3, 2.0, 0.1}), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialRollingDisc>, Visit&& visit) const {
    visit("on a slope", SpatialRollingDisc(0.7, off, place), ground);
  }
  template <class Visit>
  void operator()(Type<SpatialSkate>, Visit&& visit) const {
    visit("on a slope", SpatialSkate(off, place), ground);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(spatial_elements_obey_the_laws) {
  check_family<Family::spatial>(More{});
}
