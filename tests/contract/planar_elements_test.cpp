// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "registered_elements.hpp"

/// The laws of element_laws.hpp for everything in elements.inc that acts on points and bodies of the plane. A new
/// element takes part by itself; here stand more sets of parameters than its defaults.
using namespace sunlagrange;
using namespace sunlagrange::test;

namespace {

constexpr Frame ground = Frame::ground, internal = Frame::internal, indifferent = Frame::indifferent;
const OnBody off{0.3, -0.2}, other{-0.4, 0.5};
const OnGround place{0.7, -0.4};

struct More {
  template <class E, class Visit>
  void operator()(Type<E>, Visit&&) const {}

  template <class Visit>
  void operator()(Type<PlanarBody>, Visit&& visit) const {
    visit("heavy", PlanarBody{1.3, 0.4, 0.7, -9.81}, ground);
  }
  template <class Visit>
  void operator()(Type<PlanarSolid>, Visit&& visit) const {
    visit("box", PlanarSolid{1.3, shape::Box{0.5, 0.2, 0.1}}, internal);
    visit("cylinder", PlanarSolid{1.3, shape::Cylinder{0.5, 0.2}}, internal);
    visit("heavy sphere", PlanarSolid{1.3, shape::Sphere{0.5}, 0.7, -9.81}, ground);
  }
  template <class Visit>
  void operator()(Type<PlanarParticle>, Visit&& visit) const {
    visit("heavy", PlanarParticle{1.3, 0.7, -9.81}, ground);
  }
  template <class Visit>
  void operator()(Type<SurfaceContact<>>, Visit&& visit) const {
    SurfaceContact<OnBody> deep{0.3, 2.0, 0.4, 50.0, 0.2, 0.6, 0.5, OnBody{0.2, -0.1}};  // everywhere in contact
    visit("deep", deep, Frame::ground);
  }
  template <class Visit>
  void operator()(Type<Distance>, Visit&& visit) const {
    visit("L = 1.5", Distance{1.5}, internal);
  }
  template <class Visit>
  void operator()(Type<DistanceToGround>, Visit&& visit) const {
    visit("off the origin", DistanceToGround{0.3, -0.4, 1.5}, ground);
  }
  template <class Visit>
  void operator()(Type<Revolute>, Visit&& visit) const {
    visit("off the centres", Revolute{0.5, 0.1, -0.4, 0.2}, internal);
  }
  template <class Visit>
  void operator()(Type<RevoluteToGround>, Visit&& visit) const {
    visit("off the centre", RevoluteToGround{-0.5, 0.2, 1.0, 2.0}, ground);
  }
  template <class Visit>
  void operator()(Type<LinearSpring<>>, Visit&& visit) const {
    visit("no rest length", LinearSpring<>{2.0, 0.0}, internal);
    visit("bodies", LinearSpring{2.0, 0.8, off, other}, internal);
    visit("body and ground", LinearSpring{2.0, 0.8, off, place}, ground);
    visit("ground and point", LinearSpring{2.0, 0.0, place, AtPoint{}}, ground);
  }
  template <class Visit>
  void operator()(Type<LinearDamper<>>, Visit&& visit) const {
    visit("bodies", LinearDamper{2.0, off, other}, internal);
    visit("body and point", LinearDamper{2.0, off, AtPoint{}}, internal);
    visit("point and ground", LinearDamper{2.0, AtPoint{}, place}, ground);
  }
  template <class Visit>
  void operator()(Type<DistanceBetween<>>, Visit&& visit) const {
    visit("off the centres", DistanceBetween{1.3, off, other}, internal);
    visit("body and point", DistanceBetween{1.3, off, AtPoint{}}, internal);
    visit("body and ground", DistanceBetween{1.3, off, place}, ground);
  }
  template <class Visit>
  void operator()(Type<Coincidence<>>, Visit&& visit) const {
    visit("off the centre", Coincidence{off, AtPoint{}}, internal);
    visit("point and ground", Coincidence{AtPoint{}, place}, ground);
  }
  template <class Visit>
  void operator()(Type<Prismatic>, Visit&& visit) const {
    visit("skew", Prismatic{0.3, -0.1, 0.7, -0.2, 0.4, 0.5}, internal);
  }
  template <class Visit>
  void operator()(Type<PrismaticToGround>, Visit&& visit) const {
    visit("skew", PrismaticToGround{0.3, -0.1, 0.4, 0.2, 0.7, 0.5}, ground);
  }
  template <class Visit>
  void operator()(Type<PinOnCurve<>>, Visit&& visit) const {
    visit("body on a circle", PinOnCurve{Circle{1.2}, off, place}, ground);
    visit("point on a slot of a body", PinOnCurve{StraightLine{0.4}, AtPoint{}, off}, internal);
    visit("body on a cam of a body", PinOnCurve{Parabola{0.5}, off, other}, internal);
    visit("own curve", PinOnCurve{[](auto x) { return 0.4 * sin(2.0 * x); }, AtPoint{}, OnGround{}}, ground);
  }
  template <class Visit>
  void operator()(Type<PrescribedPoint<>>, Visit&& visit) const {
    visit("point of a body", PrescribedPoint{CircularPath{0.1, 0.2, 0.5, 2.0, 0.3}, off}, ground);
  }
  template <class Visit>
  void operator()(Type<AppliedForce<>>, Visit&& visit) const {
    visit("follows a body", AppliedForce{[](auto, auto q, auto) { return turned(1.0, 0.5, q[2]); }, off}, indifferent);
    const auto drag = [](auto t, auto, auto v) {
      return PlanarVector<decltype(t)>{-0.5 * v[0] * (1.5 + t), -0.5 * v[1]};
    };
    visit("drag", AppliedForce{drag, AtPoint{}}, ground);
  }
  template <class Visit>
  void operator()(Type<RollingDisc>, Visit&& visit) const {
    visit("on a slope", RollingDisc{0.4, 0.1, -0.2, 0.5, 0.3}, ground);
  }
  template <class Visit>
  void operator()(Type<RollingDiscByRate>, Visit&& visit) const {
    visit("on a slope", RollingDiscByRate{0.4, 0.1, -0.2, 0.5}, ground);
  }
  template <class Visit>
  void operator()(Type<KnifeEdge>, Visit&& visit) const {
    visit("off the centre", KnifeEdge{0.3, -0.2, 0.6}, internal);
  }
  template <class Visit>
  void operator()(Type<EccentricBody>, Visit&& visit) const {
    visit("both offsets", EccentricBody{1.3, 0.4, 0.3, -0.6}, internal);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(planar_elements_obey_the_laws) {
  check_family<Family::planar>(More{});
}
