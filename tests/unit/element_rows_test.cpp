#define BOOST_TEST_MODULE element_rows
#include <boost/test/unit_test.hpp>

#include <random>
#include <vector>

#include <sunlagrange/derivatives/element_derivatives.hpp>
#include <sunlagrange/model/elements/distance.hpp>
#include <sunlagrange/model/elements/revolute.hpp>

/// Elements that write g, g', gamma and G themselves must agree with what dual numbers make of their `constraint`.

using namespace sunlagrange;

namespace {

/// The element without its own rows.
template <class E>
struct Plain {
  E element;
  static constexpr int num_positions = E::num_positions;
  static constexpr int num_constraints = E::num_constraints;
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    element.constraint(t, q, g);
  }
};

template <class E>
std::vector<double> rows(const E& element, const std::vector<double>& q, const std::vector<double>& v) {
  constexpr int n = E::num_positions, m = E::num_constraints;
  Arena arena;
  std::vector<double> all(static_cast<std::size_t>(m * (3 + n)), 7.0);
  double* x = all.data();
  BOOST_REQUIRE(
      ElementDerivatives<E>(element, arena).jacobian(0.3, q.data(), v.data(), x, x + m, x + 2 * m, x + 3 * m));
  return all;
}

template <class E>
void compare(const E& element) {
  static_assert(Capabilities<E>::has_rows && !Capabilities<Plain<E>>::has_rows);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  std::vector<double> q(E::num_positions), v(E::num_positions);
  for (int sample = 0; sample < 10; ++sample) {
    for (double& x : q) x = uniform(random);
    for (double& x : v) x = uniform(random);
    const auto own = rows(element, q, v);
    const auto derived = rows(Plain<E>{element}, q, v);
    for (std::size_t i = 0; i < own.size(); ++i) BOOST_TEST(std::abs(own[i] - derived[i]) < 1e-13);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(own_rows_agree_with_dual_numbers) {
  compare(Distance{1.5});
  compare(DistanceToGround{0.3, -0.4, 1.5});
  compare(Revolute{0.5, 0.1, -0.4, 0.2});
  compare(RevoluteToGround{-0.5, 0.2, 1.0, 2.0});
}
