// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>

#include <sunlagrange/analysis.hpp>
#include <sunlagrange/elements.hpp>

#include "matrix_exponential.hpp"

/// A, B, C, D against runs of the nonlinear mechanism whose input is set.
using namespace sunlagrange;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A trolley on a spring, a load on a rope, wind; the rope as often as `copies` says.
template <int copies>
struct Crane {
  Input force{0.0}, wind{3.0};
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = copies;
  void describe_parameters(Parameters& p) {
    p.part("force", force, "on the trolley", "N");
    p.part("wind", wind, "on the load", "N");
  }
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = 4.0;
    M(1, 1) = M(2, 2) = 1.5;
  }
  template <class T>
  void applied_force(T t, View<const T> q, View<const T> v, View<T> f) const {
    f[0] = force(t) - 30.0 * q[0] - 0.8 * v[0];
    f[1] = wind(t);
    f[2] = -1.5 * 9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    const T x = q[1] - q[0];
    for (int k = 0; k < copies; ++k) g[k] = (k + 1.0) * (x * x + q[2] * q[2] - 1.0) / 2.0;
  }
  std::vector<std::string> position_names() const { return {"trolley", "load.x", "load.y"}; }
};

/// What outputs do after an input has stepped, over the step, against the exponential of the matrices.
void check_step_responses(const std::shared_ptr<const MechanicalSystem>& system,
                          const std::vector<std::string>& outputs) {
  const Equilibrium rest = static_equilibrium(system, {0.0, Eigen::Vector3d(0.1, 0.3, -0.9)});
  BOOST_REQUIRE_MESSAGE(rest.status.finished(), rest.status.message);
  const StateSpace s = state_space(system, {0.0, rest.state.q}, {}, outputs);
  BOOST_REQUIRE_MESSAGE(s.status.finished(), s.status.message);
  const std::vector<std::string> both = {"force", "wind"};
  BOOST_TEST(s.inputs == both, boost::test_tools::per_element());
  const Index states = s.A.rows(), m = s.B.cols();
  MatrixXd whole = MatrixXd::Zero(states + m, states + m);
  whole.topLeftCorner(states, states) = s.A;
  whole.topRightCorner(states, m) = s.B;
  const double times[] = {0.0, 0.4, 1.3}, step = 1e-4;
  for (Index input = 0; input < m; ++input) {
    SimulationOptions options;
    options.formulation = "projected";
    options.integrator = "verner6";
    options.t_end = 2.0;
    options.rtol = options.atol = 1e-12;
    Stepper stepper(system, {0.0, rest.state.q}, options);
    std::vector<double> before;
    for (const std::string& output : outputs) before.push_back(stepper.read(output));
    stepper.set(s.inputs[static_cast<std::size_t>(input)], stepper.read(both[static_cast<std::size_t>(input)]) + step);
    for (const double t : times) {
      BOOST_REQUIRE(stepper.advance_to(t));
      const VectorXd x = test::exponential(whole * t).col(states + input).head(states);
      const VectorXd z = s.C * x + s.D.col(input);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double seen = (stepper.read(outputs[i]) - before[i]) / step;
        BOOST_TEST(std::abs(seen - z[static_cast<Index>(i)]) < 1e-3 * (0.1 + std::abs(seen)),
                   s.inputs[static_cast<std::size_t>(input)] << " -> " << outputs[i] << " at " << t << ": " << seen
                                                             << ", " << z[static_cast<Index>(i)]);
      }
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == "load.y") BOOST_TEST(s.z[static_cast<Index>(i)] == rest.state.q[2]);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(step_responses) {
  check_step_responses(make_system(Crane<1>{}), {"trolley", "load.y", "load.x'", "trolley''", "lambda:constraint"});
}

BOOST_AUTO_TEST_CASE(step_responses_with_redundant_rows) {
  check_step_responses(make_system(Crane<2>{}), {"trolley", "load.y", "load.x'", "trolley''"});
}

/// Names of elements may hold "law" as a word or a part of one.
BOOST_AUTO_TEST_CASE(names_of_inputs) {
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  assembly.add("mass", SlidingMass{2.0}, {x});
  const std::vector<std::string> names = {"a.lawn", "a", "a.law", "lawn"};
  for (const std::string& name : names) assembly.add(name, AxialForce{Input{}}, {x});
  const StateSpace s = state_space(assembly.build(), {0.0, VectorXd::Zero(1)}, {}, {"x''"});
  BOOST_REQUIRE(s.status.finished());
  BOOST_TEST(s.inputs == names, boost::test_tools::per_element());
  BOOST_TEST((s.D - MatrixXd::Constant(1, 4, 0.5)).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  Assembly assembly;
  const Block x = assembly.add_coordinates("x", BlockKind::translation);
  const Block y = assembly.add_coordinates("y", BlockKind::translation);
  assembly.add("masses", SlidingMass{1.0}, {x});
  assembly.add("mass", SlidingMass{1.0}, {y});
  assembly.add("drive", AxialForce{Input{}}, {x});
  assembly.add("speed", PrescribedRate{Input{}}, {y});
  const auto system = assembly.build();
  const InitialState start{0.0, VectorXd::Zero(2)};
  const auto refused = [&](const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                           const std::string& part) {
    BOOST_CHECK_EXCEPTION(state_space(system, start, inputs, outputs), Error, [&](const Error& error) {
      return std::string(error.what()).find(part) != std::string::npos;
    });
  };
  refused({"drives"}, {}, "did you mean drive");
  refused({"speed"}, {}, "\"speed\" moves a constraint");
  refused({"drive"}, {"z"}, "\"z\"");
  const StateSpace free = state_space(system, start, {"drive"}, {"x", "x''"});
  BOOST_REQUIRE(free.status.finished());
  BOOST_TEST((free.C.row(0) * free.A * free.B)(0) == 1.0, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(free.D(1, 0) == 1.0, boost::test_tools::tolerance(1e-12));
  refused({}, {}, "\"speed\"");
  BOOST_CHECK_THROW(state_space(make_system(Crane<1>{}), {0.0, Eigen::Vector3d(0.0, 0.0, -1.0)}, {"law"}), Error);
}
