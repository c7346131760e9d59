// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include "registered_elements.hpp"

/// The laws of element_laws.hpp for everything in elements.inc that acts on single coordinates of any domain, or on
/// blocks of several kinds.
using namespace sunlagrange;
using namespace sunlagrange::test;

namespace {

struct More {
  template <class E, class Visit>
  void operator()(Type<E>, Visit&&) const {}

  template <class Visit>
  void operator()(Type<TorsionSpring>, Visit&& visit) const {
    visit("wound", TorsionSpring{2.0, 0.7}, Frame::internal);
  }
  template <class Visit>
  void operator()(Type<AppliedTorque<>>, Visit&& visit) const {
    visit("own law", AppliedTorque{[](auto t, auto angle, auto rate) { return sin(t) * cos(angle) - 0.1 * rate; }},
          Frame::internal);
  }
  template <class Visit>
  void operator()(Type<InternalTorque<>>, Visit&& visit) const {
    visit("own law", InternalTorque{[](auto t, auto angle, auto rate) { return t - 0.3 * angle - 0.1 * rate; }},
          Frame::internal);
  }
  template <class Visit>
  void operator()(Type<Gear>, Visit&& visit) const {
    visit("ratio 1, offset", Gear{1.0, 0.4}, Frame::internal);
  }
  template <class Visit>
  void operator()(Type<PrescribedCoordinate<>>, Visit&& visit) const {
    visit("constant", PrescribedCoordinate{Harmonic{0.3, 0.0}}, Frame::internal);
    visit("own law", PrescribedCoordinate{[](auto t) { return 0.5 * t * t; }}, Frame::internal);
  }
  template <class Visit>
  void operator()(Type<PrescribedRate<>>, Visit&& visit) const {
    visit("uniform acceleration", PrescribedRate{Uniform{0.3, 0.7}}, Frame::internal);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(elements_of_single_coordinates_obey_the_laws) {
  check_family<Family::other>(More{});
}
