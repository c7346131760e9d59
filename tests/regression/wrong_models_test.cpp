// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>
#include <type_traits>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sundials/attachment.hpp>

#include "model/evaluation.hpp"
#include "models.hpp"

/// Models that are wrong: an Error when they are built, or model_error at the start, which names field and value. Never
/// a run.
using namespace sunlagrange;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

const InitialState side{0.0, Vector2d(1.0, 0.0), {}};
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  BOOST_ERROR("no Error was thrown");
  return "";
}

void has(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    BOOST_TEST((text.find(part) != std::string::npos), "\"" << part << "\" is missing in: " << text);
}

/// What simulate() says, the same for every formulation, linear solver and start; and what the others say.
void is_refused(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                const std::vector<std::string>& parts) {
  for (const char* formulation : {"baumgarte", "penalty", "ggl", "index3", "projected", "coordinate_partitioning"}) {
    for (const char* solver : {"dense", "klu", "block"}) {
      for (const Start treatment : {Start::consistent, Start::as_given}) {
        if (!linear_solver(solver).available) continue;
        SimulationOptions options;
        options.formulation = formulation;
        options.linear_solver.name = solver;
        options.start = treatment;
        options.t_end = 0.1;
        const Simulation run = simulate(system, start, options);
        BOOST_TEST_CONTEXT(formulation << " " << solver << " " << to_string(treatment)) {
          BOOST_TEST(to_string(run.status.outcome) == std::string("model_error"));
          BOOST_TEST(run.report.steps == 0);
          has(run.status.message, parts);
        }
      }
    }
  }
  const ConsistentState state = consistent_state(system, start);
  has(state.report.status.message, parts);
  BOOST_TEST(!state.report.accelerations_known);
  const auto n = system->num_positions();
  has(error_of([&] { num_unknowns(system, state.state); }), parts);  // as attach_cvode and its relatives
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(n);
  const DerivativeCheck check = check_derivatives(system, start.t, start.q, v);
  const bool part = parts[0].find("no inertia") != std::string::npos;  // of a system: its derivatives may be right
  BOOST_TEST(check.passed == part);
  if (!part) has(check.verdict(), parts);
}

// ---- indices -----------------------------------------------------------------------------------------------------

struct ReadsBeyond : test::Pendulum {
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[0] * q[0] + q[2] - 1.0;
  }
};
struct WritesBeyond : test::Pendulum {
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = g[1] = q[0] * q[0] + q[1] * q[1] - 1.0;
  }
};
struct RowIsColumn : test::Pendulum {  // lands inside of the array, at another entry
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const noexcept {
    M(0, 0) = M(1, 1) = 1.0;
    M(2, 0) = M(1, 0) = 0.1;
  }
};
struct NegativeIndex : test::Pendulum {
  template <class T>
  void applied_force(T, View<const T>, View<const T> v, View<T> f) const {
    f[1] = -9.81 - v[-1];
  }
};
struct ByEnergy : test::Pendulum {
  template <class T>
  T potential_energy(T, View<const T> q) const {
    return 9.81 * q[5];
  }
};
struct PlainReads {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  void mass_matrix(double, View<const double>, MatrixView<double> M) const { M(0, 0) = M(1, 1) = 1.0; }
  void applied_force(double, View<const double> q, View<const double>, View<double> f) const { f[1] = -9.81 * q[2]; }
  void constraint(double, View<const double> q, View<double> g) const { g[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }
};
struct PlainWrites : PlainReads {
  void applied_force(double, View<const double>, View<const double>, View<double> f) const { f[2] = -9.81; }
};
struct OwnJacobian : test::Pendulum {
  void constraint_jacobian(double, View<const double> q, MatrixView<double> G) const {
    G(0, 0) = q[0];
    G(0, 2) = q[1];
  }
};
struct OwnPattern : test::Pendulum {
  LocalSparsity sparsity() const { return {{{0, 0}, {1, 1}}, {{0, 0}, {1, 0}}, {{0, 0}, {1, 1}}}; }
};

// ---- rows --------------------------------------------------------------------------------------------------------

struct ConstantRow : test::Pendulum {
  template <class T>
  void constraint(T t, View<const T>, View<T> g) const {
    g[0] = sin(t);
  }
  std::vector<std::string> constraint_names() const { return {"rod"}; }
};
struct RowOfPositions {  // a velocity row that knows no velocity
  static constexpr int num_positions = 2;
  static constexpr int num_velocity_constraints = 2;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void velocity_constraint(T, View<const T> q, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - q[0];
    psi[1] = q[1];
  }
};
struct Velocities : RowOfPositions {
  double second = 2.0;
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - 1.0;
    psi[1] = v[0] - second;
  }
  std::vector<std::string> constraint_names() const { return {"belt", "motor"}; }
};
struct PositionAndVelocity {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  static constexpr int num_velocity_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = q[0] - 1.0;
  }
  template <class T>
  void velocity_constraint(T, View<const T>, View<const T> v, View<T> psi) const {
    psi[0] = v[0] - 1.0;
  }
};

// ---- mass --------------------------------------------------------------------------------------------------------

struct Mass : test::Pendulum {
  Eigen::Matrix2d given = Eigen::Matrix2d::Identity();
  explicit Mass(const Eigen::Matrix2d& M) : given(M) {}
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) M(i, j) = T(given(i, j));
    }
  }
};
std::shared_ptr<const MechanicalSystem> with_mass(double m00, double m01, double m10, double m11) {
  return make_system(Mass((Eigen::Matrix2d() << m00, m01, m10, m11).finished()));
}
struct ThreeMasses {  // every pair of coordinates is fine, all three are not
  static constexpr int num_positions = 3;
  double coupling = -0.6;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) M(i, j) = T(i == j ? 1.0 : coupling);
    }
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T>) const {}
};
struct SaidConstant : test::Pendulum {
  static constexpr bool constant_mass_matrix = true;
  template <class T>
  void mass_matrix(T, View<const T> q, MatrixView<T> M) const {
    M(0, 0) = 1.0;
    M(1, 1) = 2.0 + sin(q[0]);
  }
};
struct SaidConstantOutside : SaidConstant {  // random points are outside of its domain
  template <class T>
  bool mass_matrix(T t, View<const T> q, MatrixView<T> M) const {
    SaidConstant::mass_matrix(t, q, M);
    return value_of(q[0]) > 5.0;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 64.0) / 2.0;
  }
};
struct Massless {
  static constexpr int num_positions = 3;
  static constexpr int num_constraints = 2;
  bool held = true;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0;
    g[1] = held ? q[2] - q[0] * q[1] : q[0] + q[1];
  }
};

// ---- members -----------------------------------------------------------------------------------------------------

struct Mistyped : test::Pendulum {
  template <class T>
  void aplied_force(T, View<const T>, View<const T>, View<T>) const {}
  double disipation() const { return 0.0; }
  double potental_energy = 1.0;  // data: no member function
};
struct PotentialWithTypo : test::Pendulum {
  template <class T>
  T potential_energie(T, View<const T> q) const {
    return q[0];
  }
};

struct Tiny : test::Pendulum {  // a pendulum of one micrometre
  double spoil = 1.0;
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] - 1e-12) / 2.0;
  }
  void constraint_jacobian(double, View<const double> q, MatrixView<double> G) const {
    G(0, 0) = q[0];
    G(0, 1) = spoil * q[1];
  }
};

std::string add_error(const std::function<void(Assembly&)>& build) {
  return error_of([&] {
    Assembly assembly;
    build(assembly);
  });
}

/// The message of an element of one block.
template <class E>
std::string refusal(BlockKind kind, E element) {
  return add_error(
      [&](Assembly& assembly) { assembly.add("part", element, {assembly.add_coordinates("block", kind)}); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_index_out_of_range_is_named_when_the_model_is_added) {
  has(error_of([] { make_system(ReadsBeyond{}); }), {"model: constraint reads q[2]", "2 entries"});
  has(error_of([] { make_system(WritesBeyond{}); }), {"constraint writes g[1]", "1 entry"});
  has(error_of([] { make_system(RowIsColumn{}); }), {"mass_matrix writes M(2, 0)", "2 x 2"});
  has(error_of([] { make_system(NegativeIndex{}); }), {"applied_force reads v[-1]"});
  has(error_of([] { make_system(ByEnergy{}); }), {"potential_energy reads q[5]"});
  has(error_of([] { make_system(PlainReads{}); }), {"applied_force reads q[2]"});
  has(error_of([] { make_system(PlainWrites{}); }), {"applied_force writes f[2]"});
  has(error_of([] { make_system(OwnJacobian{}); }), {"constraint_jacobian writes G[2]"});
  has(error_of([] { make_system(OwnPattern{}); }), {"sparsity().jacobian", "(1, 0)", "1 x 2"});
  has(add_error([](Assembly& a) { a.add("pin", ReadsBeyond{}, {a.add_coordinates("p", 2)}); }),
      {"element \"pin\": constraint"});
}

BOOST_AUTO_TEST_CASE(a_row_that_depends_on_nothing_is_an_error) {
  has(error_of([] { make_system(ConstantRow{}); }), {"row g[0] (\"rod\") depends on no coordinate"});
  has(error_of([] { make_system(RowOfPositions{}); }), {"row psi[1] depends on no velocity"});
}

BOOST_AUTO_TEST_CASE(parameters_without_meaning_are_refused) {
  for (const double bad : {-1.0, not_a_number, std::numeric_limits<double>::infinity()}) {
    has(refusal(BlockKind::planar_body, PlanarRigidBody{bad, 1.0}), {"element \"part\": m = "});
    has(refusal(BlockKind::planar_body, PlanarRigidBody{1.0, bad}), {"I = "});
    has(refusal(BlockKind::planar_point, PointMass{bad}), {"m = "});
    has(refusal(BlockKind::spatial_point, SpatialPointMass{bad}), {"m = "});
    has(refusal(BlockKind::rotation, Flywheel{bad}), {"inertia = "});
    has(refusal(BlockKind::electrical, Resistor{bad}), {"R = "});
    has(refusal(BlockKind::spatial_body, SpatialRigidBody{1.0, bad, 1.0, 1.0}), {"Jxx = "});
  }
  for (const double bad : {0.0, -1.0, not_a_number}) {
    has(refusal(BlockKind::planar_point, DistanceToGround{0.0, 0.0, bad}), {"L = ", "positive"});
    has(refusal(BlockKind::electrical, Capacitor{bad}), {"C = ", "positive"});
  }
  for (const double bad : {not_a_number, std::numeric_limits<double>::infinity()}) {  // where a part is fastened, laws
    has(refusal(BlockKind::planar_point, DistanceToGround{bad, 0.0, 1.0}), {"element \"part\": ground_x = "});
    has(refusal(BlockKind::planar_body, RevoluteToGround{0.5, bad, 0.0, bad}), {"sy = ", "ground_y = "});
    has(refusal(BlockKind::planar_body, PrismaticToGround{0.0, 0.0, 0.0, 0.0, bad, 0.0}), {"axis = "});
    has(refusal(BlockKind::planar_body, RollingDisc{1.0, bad}), {"ground_x = "});
    has(refusal(BlockKind::planar_body, KnifeEdge{0.0, bad, 0.0}), {"sy = "});
    has(refusal(BlockKind::planar_body, LinearSpring{5.0, 0.4, OnBody{bad, 0.0}, OnGround{0.0, bad}}),
        {"a.sx = ", "b.y = "});
    has(refusal(BlockKind::planar_point, DistanceBetween{1.0, AtPoint{}, OnGround{bad, 1.0}}), {"b.x = "});
    has(refusal(BlockKind::planar_point, PinOnCurve{Parabola{bad}, AtPoint{}, OnGround{}}), {"curve.bend = "});
    has(refusal(BlockKind::planar_point, PrescribedPoint{CircularPath{bad}, AtPoint{}}), {"law.x = "});
    has(refusal(BlockKind::planar_point, AppliedForce{ConstantForce{0.0, bad}, AtPoint{}}), {"law.y = "});
    has(refusal(BlockKind::rotation, PrescribedCoordinate{Harmonic{0.0, bad}}), {"law.amplitude = "});
    has(refusal(BlockKind::rotation, AppliedTorque{ConstantEffort{bad}}), {"law.value = "});
  }
  has(refusal(BlockKind::planar_body, PlanarRigidBody{-1.0, -2.0}), {"m = -1", "I = -2"});  // all at once
  has(refusal(BlockKind::spatial_body, SpatialRigidBody{1.0, 1.0, 1.0, 5.0}),
      {"Jzz = 5: must not exceed Jxx + Jyy = 2"});
  SpatialRigidBody skew{1.0, 1.0, 1.0, 1.0};
  skew.Jxy = 0.9;
  has(refusal(BlockKind::spatial_body, skew), {"Jxy = 0.9", "triangle"});

  Assembly good;  // legal: no mass, a thin rod, a flat plate in turned axes
  good.add("massless", PointMass{0.0}, {good.add_coordinates("a", BlockKind::planar_point)});
  good.add("rod", SpatialRigidBody{1.0, 0.0, 1.0, 1.0}, {good.add_coordinates("b", BlockKind::spatial_body)});
  SpatialRigidBody plate{1.0, 1.5, 1.5, 3.0};  // principal moments 1, 2, 3
  plate.Jxy = -0.5;
  good.add("plate", plate, {good.add_coordinates("c", BlockKind::spatial_body)});
  BOOST_TEST(good.build()->num_elements() == 3);
}

BOOST_AUTO_TEST_CASE(a_refused_element_leaves_the_assembly_as_it_was) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  BOOST_CHECK_THROW(assembly.add("mass", PointMass{-1.0}, {bob}), Error);
  assembly.add("mass", PointMass{1.0}, {bob});
  const auto system = assembly.build();
  BOOST_TEST(system->num_elements() == 1);
  BOOST_TEST(system->constant_mass());
}

BOOST_AUTO_TEST_CASE(an_unsymmetric_mass_matrix_is_refused_everywhere) {
  is_refused(with_mass(2.0, 0.0, 0.5, 2.0), side, {"not symmetric", "M(q1, q0) = 0.5", "M(q0, q1) = 0"});
  is_refused(with_mass(2.0, 0.5, 0.0, 2.0), side, {"not symmetric", "M(q0, q1) = 0.5"});
  BOOST_TEST(simulate(with_mass(2.0, 0.5, 0.5 * (1.0 + 1e-15), 2.0), side).status.finished());
}

BOOST_AUTO_TEST_CASE(an_indefinite_mass_matrix_is_refused_everywhere) {
  is_refused(with_mass(-1.0, 0.0, 0.0, -1.0), side, {"M(q0, q0) = -1 is negative"});
  is_refused(with_mass(1.0, 0.0, 0.0, -1.0), side, {"M(q1, q1) = -1"});
  is_refused(with_mass(1.0, 2.0, 2.0, 1.0), side, {"M(q1, q0) = 2 is too large"});
  is_refused(make_system(ThreeMasses{}), {0.0, Vector3d::Zero(), {}}, {"not positive semidefinite", "\"q2\""});
  BOOST_TEST(simulate(make_system(ThreeMasses{-0.4}), {0.0, Vector3d::Ones(), {}}).status.finished());
}

BOOST_AUTO_TEST_CASE(a_mass_matrix_that_is_not_finite_is_named) {
  is_refused(with_mass(1.0, 0.0, 0.0, not_a_number), side, {"M(q1, q1) = nan"});
}

BOOST_AUTO_TEST_CASE(a_mass_matrix_said_to_be_constant_must_be) {
  has(error_of([] { make_system(SaidConstant{}); }), {"constant_mass_matrix = true", "M(1, 1)"});
  is_refused(make_system(SaidConstantOutside{}), {0.0, Vector2d(8.0, 0.0), {}},
             {"constant_mass_matrix = true", "M(q1, q1)"});
}

// Every coordinate is one that goes first: columns beside them there are none. Eigen asserted, or read beyond.
BOOST_AUTO_TEST_CASE(no_mass_at_all_is_told_by_coordinate_partitioning) {
  for (const Start treatment : {Start::consistent, Start::as_given}) {
    SimulationOptions options;
    options.formulation = "coordinate_partitioning";
    options.start = treatment;
    const Simulation run = simulate(with_mass(0.0, 0.0, 0.0, 0.0), side, options);
    BOOST_TEST(to_string(run.status.outcome) == std::string("rank_loss"));
    has(run.status.message, {"check that M is positive definite on the null space of G"});
  }
}

BOOST_AUTO_TEST_CASE(a_coordinate_that_nothing_accelerates_is_named) {
  Massless model;
  model.held = false;
  is_refused(make_system(model), {0.0, Vector3d(std::sqrt(0.5), -std::sqrt(0.5), 0.0), {}},
             {"no inertia and no constraint acts on \"q2\""});
  BOOST_TEST(simulate(make_system(Massless{}), {0.0, Vector3d(1.0, 0.0, 0.0), {}}).status.finished());
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {bob});
  assembly.add_coordinates("forgot", BlockKind::planar_body);
  is_refused(assembly.build(), {0.0, Eigen::VectorXd::Ones(5), {}},
             {"no inertia and no constraint acts on \"forgot.x\", \"forgot.y\", \"forgot.phi\""});
}

// A rod holds both coordinates, but along it alone: across, nothing has inertia, whatever formulation is taken.
BOOST_AUTO_TEST_CASE(a_rod_without_inertia_is_told_so_and_no_formulation_advised) {
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {bob});
  const auto system = assembly.build();
  for (const char* formulation : {"baumgarte", "penalty"}) {
    SimulationOptions options;
    options.formulation = formulation;
    const Simulation run = simulate(system, {0.0, Eigen::Vector2d(0.6, 0.8), {}}, options);
    BOOST_TEST(to_string(run.status.outcome) == std::string("rank_loss"));
    has(run.status.message, {"no inertia acts on \"bob.x\", \"bob.y\""});
    BOOST_TEST(run.status.message.find("use formulation") == std::string::npos, run.status.message);
  }
}

BOOST_AUTO_TEST_CASE(velocity_rows_that_contradict_each_other_are_infeasible_and_named) {
  for (const auto& formulation : formulations()) {
    if (formulation.for_programs) continue;
    SimulationOptions options;
    options.formulation = std::string(formulation.name);
    options.step = 1e-3;
    options.t_end = 0.1;
    const InitialState start{0.0, Vector2d(1.0, 0.0), {}};
    for (const auto& system : {make_system(Velocities{}), make_system(PositionAndVelocity{})}) {
      const Simulation run = simulate(system, start, options);
      BOOST_TEST_CONTEXT(formulation.name << ": " << run.status.message) {
        BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"));
        BOOST_TEST(run.report.steps == 0);
        has(run.status.message, {system->constraint_name(0), system->constraint_name(1), "contradict"});
      }
    }
    Velocities agree;
    agree.second = 1.0;
    BOOST_TEST(!consistent_state(make_system(agree), start).report.status.message.size());
  }
}

BOOST_AUTO_TEST_CASE(a_stalled_iteration_is_no_proof) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_point);
  assembly.add("mass", PointMass{1.0}, {a});
  assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {a});
  assembly.add("string", DistanceToGround{3.0, 0.0, 1.0}, {a});
  const Simulation run = simulate(assembly.build(), {0.0, Vector2d(1.0, 0.1), {}});
  BOOST_TEST(to_string(run.status.outcome) == std::string("infeasible"));
  has(run.status.message, {"was found", "Gauss-Newton stalled"});
}

BOOST_AUTO_TEST_CASE(a_start_without_values_is_said_to_have_none) {
  const auto rod = [](const InitialState& start) {
    Assembly assembly;
    const Block a = assembly.add_coordinates("a", BlockKind::planar_point);
    assembly.add("mass", PointMass{1.0}, {a});
    assembly.add("rod", DistanceToGround{0.0, 0.0, 1.0}, {a});
    return simulate(assembly.build(), start).status;
  };
  const Status nothing = rod({0.0, Vector2d::Zero(), {}});
  BOOST_TEST(to_string(nothing.outcome) == std::string("infeasible"));
  has(nothing.message, {"no start value was given; all are 0", "worst in \"rod\"", "give a rough place"});
  BOOST_TEST(rod({0.0, Vector2d(0.1, 0.0), {}}).finished());
  InitialState held{0.0, Vector2d::Zero(), {}};
  held.fixed_positions = {"a.x"};
  const Status held_there = rod(held);
  BOOST_TEST(!held_there.finished());
  BOOST_TEST(held_there.message.find("no start value") == std::string::npos, held_there.message);
}

BOOST_AUTO_TEST_CASE(mistyped_members_are_recognised_at_compile_time) {
  namespace requirements = internal::requirements;
  static_assert(requirements::has_function_aplied_force<Mistyped>());
  static_assert(requirements::has_function_disipation<Mistyped>());
  static_assert(!requirements::has_function_potental_energy<Mistyped>());
  static_assert(!requirements::has_function_aplied_force<test::Pendulum>());
  static_assert(requirements::has_function_applied_force<test::Pendulum>());
}

BOOST_AUTO_TEST_CASE(members_that_were_not_found_are_listed) {
  const auto system = make_system(PotentialWithTypo{});
  const std::vector<ElementMembers> members = system->members();
  BOOST_REQUIRE(members.size() == 1U);
  const auto lists = [](const std::vector<std::string>& list, const char* name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  BOOST_TEST(lists(members[0].absent, "potential_energy"));
  BOOST_TEST(lists(members[0].present, "applied_force"));
  BOOST_TEST(!lists(members[0].absent, "applied_force"));
  const Simulation run = simulate(system, side);
  BOOST_TEST(lists(run.report.used.missing_members, "potential_energy"));
  BOOST_TEST(!lists(run.report.used.missing_members, "applied_force"));
  for (const auto& [quantity, source] : run.report.used.sources) BOOST_TEST(quantity != "members not found");
  has(run.report.text(run.status), {"members not found", "potential_energy"});
  has(check_derivatives(system, 0.0, side.q, side.q).text(), {"members not found in model", "potential_energy"});

  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_point), b = assembly.add_coordinates("b", 2);
  assembly.add("mass of a", PointMass{1.0}, {a});
  assembly.add("mass of b", PointMass{1.0}, {b});
  assembly.add("own", test::Pendulum{}, {b});
  const auto assembled = assembly.build();
  BOOST_TEST(assembled->members()[0].elements == 2);
  has(check_derivatives(assembled, 0.0, Eigen::Vector4d(1, 2, 3, 4), Eigen::Vector4d(1, 2, 3, 4)).text(),
      {"in \"mass of a\" (and 1 more of its type)", "in \"own\""});
}

BOOST_AUTO_TEST_CASE(blocks_belong_to_one_assembly) {
  Assembly other;
  const Block foreign = other.add_coordinates("other", BlockKind::planar_point);
  has(add_error([&](Assembly& a) {
        a.add_coordinates("mine", BlockKind::planar_point);
        a.add("m", PointMass{1.0}, {foreign});
      }),
      {"element \"m\"", "another assembly"});
  has(add_error([&](Assembly& a) {
        const Block own = a.add_coordinates("mine", BlockKind::planar_point);
        a.add("d", Distance{1.0}, {own, centre_of(foreign)});
      }),
      {"another assembly"});
  has(add_error([](Assembly& a) {
        a.add_coordinates("mine", 4);
        a.add("m", PointMass{1.0}, {Block{3, 2, BlockKind::generic}});
      }),
      {"within one block"});
  has(add_error([](Assembly& a) {
        Block b = a.add_coordinates("a", 2);
        a.add_coordinates("b", 2);
        b.first = 1;
        a.add("m", PointMass{1.0}, {b});
      }),
      {"within one block"});
  has(add_error([](Assembly& a) {
        const Block b = a.add_coordinates("a", 2);
        a.add("m", PointMass{1.0}, {b});
        a.build();
        a.add_coordinates("b", 2);
        a.add("n", PointMass{1.0}, {b});  // of the system that is built
      }),
      {"another assembly"});
}

BOOST_AUTO_TEST_CASE(an_assembly_moves_and_does_not_copy) {
  static_assert(!std::is_copy_constructible_v<Assembly> && !std::is_copy_assignable_v<Assembly>);
  Assembly assembly;
  const Block bob = assembly.add_coordinates("bob", BlockKind::planar_point);
  Assembly taken = std::move(assembly);
  taken.add("mass", PointMass{1.0}, {bob});
  has(error_of([&] { assembly.add_coordinates("a", 2); }), {"moved"});  // NOLINT(bugprone-use-after-move)
  has(error_of([&] { assembly.add("m", PointMass{1.0}, {bob}); }), {"moved"});
  has(error_of([&] { assembly.build(); }), {"moved"});
  BOOST_TEST(taken.build()->num_elements() == 1);
}

BOOST_AUTO_TEST_CASE(names_that_could_not_be_told_apart_are_refused) {
  has(add_error([](Assembly& a) {
        a.add_coordinates("a", 2);
        a.add_coordinates("a[1]", 1);
        a.build();
      }),
      {"two coordinates", "\"a[1]\""});
  has(add_error([](Assembly& a) {
        const Block body = a.add_coordinates("body", BlockKind::planar_body);
        a.add("pin", RevoluteToGround{}, {body});
        a.add("pin.x", DistanceBetween<OnBody, OnGround>{}, {body});
        a.build();
      }),
      {"two constraint rows", "\"pin.x\""});
  has(add_error([](Assembly& a) {
        a.add_coordinates("a[0]", 2);
        a.add_coordinates("a", 2);
        a.build();
      }),
      {"\"a[0]\" is one of the coordinates", "\"a[0][0]\" is a part"});
}

BOOST_AUTO_TEST_CASE(sizes_that_do_not_fit_into_memory_are_refused) {
  has(add_error([](Assembly& a) { a.add_coordinates("a", std::numeric_limits<int>::max()); }), {"\"a\"", "2147483647"});
  has(add_error([](Assembly& a) {
        a.add_coordinates("a", 10);
        a.add_coordinates("b", 9'999'991);
      }),
      {"\"b\"", "room for 9999990"});
  has(add_error([](Assembly& a) { a.add_coordinates("", 2); }), {"empty name"});
  Assembly wide;
  wide.add_coordinates("many", 60'000);
  const auto system = wide.build();
  has(error_of([&] { make_workspace(*system, internal::Storage::dense); }), {"60000", "klu"});
}

BOOST_AUTO_TEST_CASE(a_trajectory_is_written_with_the_system_of_its_run) {
  const Simulation run = simulate(make_system(test::Pendulum{}), side);
  std::ostringstream out;
  has(error_of([&] { run.trajectory.write_csv(out, *make_system(Massless{})); }), {"2 positions", "3"});
  BOOST_TEST(out.str().empty());
  run.trajectory.write_csv(out, *make_system(test::Pendulum{}));
  BOOST_TEST(out.str().substr(0, 7) == "t,q0,q1");
}

BOOST_AUTO_TEST_CASE(words_that_are_none_are_refused) {
  SimulationOptions options;
  options.linear_solver.rank_policy = static_cast<RankPolicy>(77);
  options.at_singularity = static_cast<AtSingularity>(78);
  options.start = static_cast<Start>(79);
  has(error_of([&] { simulate(make_system(test::Pendulum{}), side, options); }),
      {"rank_policy = 77", "at_singularity = 78", "start = 79"});
}

BOOST_AUTO_TEST_CASE(numbers_that_overflow_are_refused_by_name) {
  const auto with = [](auto change) {
    SimulationOptions options;
    change(options);
    return error_of([&] { simulate(make_system(test::Pendulum{}), side, options); });
  };
  has(with([](SimulationOptions& o) { o.rtol = 1e-300; }), {"rtol = 1e-300", "1e-15"});
  has(with([](SimulationOptions& o) { o.t_end = 1e300; }), {"t_end = 1e+300"});
  has(with([](SimulationOptions& o) { o.time_scale = 1e-300; }), {"time_scale = 1e-300"});
  has(with([](SimulationOptions& o) { o.gains.K_P = Gain(1e300); }), {"K_P", "1e+300"});
}

BOOST_AUTO_TEST_CASE(an_element_that_declines_the_start_is_named) {
  Assembly assembly;
  const Block a = assembly.add_coordinates("a", BlockKind::planar_point);
  const Block b = assembly.add_coordinates("b", BlockKind::planar_point);
  assembly.add("mass a", PointMass{1.0}, {a});
  assembly.add("mass b", PointMass{1.0}, {b});
  assembly.add("rope", LinearSpring<>{10.0, 0.0}, {a, b});
  assembly.add("spring", LinearSpring<>{10.0, 0.5}, {a, b});
  const auto system = assembly.build();
  for (const double apart : {0.0, 0.1}) {
    const Simulation run = simulate(system, {0.0, Eigen::Vector4d(1.0, 2.0, 1.0, 2.0 + apart), {}}, {});
    BOOST_TEST(run.status.finished() == (apart > 0.0));
    if (apart > 0.0) continue;
    BOOST_TEST(to_string(run.status.outcome) == std::string("model_error"));
    BOOST_TEST(run.status.message.find("t = 0, is declined by \"spring\": no value") != std::string::npos,
               run.status.message);
  }
}

BOOST_AUTO_TEST_CASE(derivatives_are_judged_in_every_unit) {
  const Vector2d q(0.6e-6, -0.8e-6), v(0.8e-6, 0.6e-6);
  const DerivativeCheck right = check_derivatives(make_system(Tiny{}), 0.0, q, v, 1e-6);
  BOOST_TEST(right.passed, right.text());
  has(right.verdict(), {"passed"});
  Tiny wrong;
  wrong.spoil = 1.01;
  has(error_of([&] { make_system(wrong); }), {"constraint_jacobian", "column \"q1\"", "by differences"});
}
