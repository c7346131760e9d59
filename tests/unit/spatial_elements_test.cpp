#define BOOST_TEST_MODULE spatial_elements
#include <boost/test/unit_test.hpp>

#include <random>

#include <Eigen/Dense>
#include <Eigen/Geometry>

#include <sunlagrange/model/elements/spatial_cylindrical.hpp>
#include <sunlagrange/model/elements/spatial_distance.hpp>
#include <sunlagrange/model/elements/spatial_fixed.hpp>
#include <sunlagrange/model/elements/spatial_applied_force.hpp>
#include <sunlagrange/model/elements/spatial_gravity.hpp>
#include <sunlagrange/model/elements/spatial_point_mass.hpp>
#include <sunlagrange/model/elements/spatial_prescribed_point.hpp>
#include <sunlagrange/model/elements/spatial_driven_hinge.hpp>
#include <sunlagrange/model/elements/spatial_prescribed_velocity.hpp>
#include <sunlagrange/model/elements/spatial_prismatic.hpp>
#include <sunlagrange/model/elements/spatial_revolute.hpp>
#include <sunlagrange/model/elements/spatial_rigid_body.hpp>
#include <sunlagrange/model/elements/spatial_rolling_disc.hpp>
#include <sunlagrange/model/elements/spatial_skate.hpp>
#include <sunlagrange/model/elements/spatial_spherical.hpp>
#include <sunlagrange/model/elements/spatial_spring_damper.hpp>
#include <sunlagrange/model/elements/spatial_applied_torque.hpp>
#include <sunlagrange/model/elements/spatial_torsion_spring.hpp>
#include <sunlagrange/model/elements/spatial_universal.hpp>
#include <sunlagrange/sunlagrange.hpp>

/// Laws of the spatial elements at random states: derivatives, work of the reactions, invariance, redundancy when
/// doubled, balance of energy and force. Motions against exact solutions: spatial_motions_test.
using namespace sunlagrange;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Eigen::VectorXd;

namespace {

std::mt19937 generator(7);  // NOLINT(cert-msc51-cpp): fixed on purpose

double random_number() {
  return std::uniform_real_distribution<double>(-1.0, 1.0)(generator);
}

Vector3d random_vector() {
  return {random_number(), random_number(), random_number()};
}

SpatialPose random_pose() {
  return {random_vector(), Vector4d(random_number(), random_number(), random_number(), random_number()).normalized()};
}

BodyEnd some_end() {
  return BodyEnd(random_vector(), random_vector());
}
GroundEnd some_ground() {
  return GroundEnd(random_vector(), random_vector());
}

/// One element on blocks of the kinds it declares, at a state that is consistent with unit Euler parameters only.
struct Bench {
  std::shared_ptr<const MechanicalSystem> system;
  VectorXd q, v;
  std::vector<Block> blocks;

  template <class E>
  explicit Bench(const E& element) {
    Assembly assembly;
    int n = 0;
    for (const BlockKind kind : E::blocks) {
      blocks.push_back(assembly.add_coordinates("block " + std::to_string(blocks.size()), kind));
      n += size_of(kind);
    }
    q.resize(n);
    v.resize(n);
    draw();
    assembly.add("element", element, blocks);
    system = assembly.build();
  }
  void draw() {
    for (const Block& block : blocks) {
      if (block.kind == BlockKind::spatial_body) {
        const SpatialPose pose = random_pose();
        q.segment<7>(block.first) = pose.coordinates();
        v.segment<7>(block.first) = pose.rates(random_vector(), random_vector());
      } else {
        q.segment<3>(block.first) = random_vector();
        v.segment<3>(block.first) = random_vector();
      }
    }
  }
  std::unique_ptr<Workspace> at(double t, const VectorXd& positions, const VectorXd& velocities) const {
    auto w = system->make_workspace(Storage::dense);
    BOOST_REQUIRE(system->evaluate(request::acceleration_level | request::energy,
                                   {t, positions.data(), velocities.data(), nullptr, nullptr}, *w));
    return w;
  }
  VectorXd rate_without_time(const Workspace& w) const {
    const Eigen::Index m = system->num_constraints(), n = system->num_positions();
    return Eigen::Map<const MatrixXd>(w.jacobian.data(), m, n) * v;
  }
};

VectorXd vector(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

double largest(const VectorXd& x) {
  return x.size() == 0 ? 0.0 : x.lpNorm<Eigen::Infinity>();
}

/// The element without its own rows.
template <class E>
struct Plain {
  E element;
  static constexpr int num_positions = E::num_positions;
  static constexpr int num_constraints = E::num_constraints;
  static constexpr auto blocks = E::blocks;
  template <class T>
  void constraint(T t, View<const T> q, View<T> g) const {
    element.constraint(t, q, g);
  }
};

template <class Visit>
void for_each_joint(const Visit& visit) {
  visit("spherical", SpatialSpherical(some_end(), some_end()), 3);
  visit("spherical to ground", SpatialSpherical(some_end(), some_ground()), 3);
  visit("ground to spherical", SpatialSpherical(some_ground(), some_end()), 3);
  visit("spherical with point", SpatialSpherical(PointEnd(), some_end()), 3);
  visit("revolute", SpatialRevolute(some_end(), some_end()), 3);
  visit("revolute to ground", SpatialRevolute(some_end(), some_ground()), 3);
  visit("ground to revolute", SpatialRevolute(some_ground(), some_end()), 3);
  visit("universal", SpatialUniversal(some_end(), some_end()), 3);
  visit("universal to ground", SpatialUniversal(some_end(), some_ground()), 3);
  visit("cylindrical", SpatialCylindrical(some_end(), some_end()), 0);
  visit("cylindrical to ground", SpatialCylindrical(some_end(), some_ground()), 0);
  visit("ground to cylindrical", SpatialCylindrical(some_ground(), some_end()), 0);
  visit("prismatic", SpatialPrismatic(some_end(), some_end()), 0);
  visit("prismatic to ground", SpatialPrismatic(some_end(), some_ground()), 0);
  visit("ground to prismatic", SpatialPrismatic(some_ground(), some_end()), 0);
  visit("fixed", SpatialFixed(some_end(), some_end()), 3);
  visit("fixed to ground", SpatialFixed(some_end(), some_ground()), 3);
  visit("distance", SpatialDistance(some_end(), some_end(), 1.3), 0);
  visit("distance to ground", SpatialDistance(some_end(), some_ground(), 1.3), 0);
  visit("distance of points", SpatialDistance(PointEnd(), PointEnd(), 1.3), 0);
}

struct Swing {
  template <class T>
  T operator()(const T& t) const {
    using std::sin;
    return 0.4 + 0.3 * sin(2.0 * t);
  }
};

struct Drag {
  template <class T>
  spatial::Vector3<T> operator()(const T& t, const spatial::Vector3<T>& x, const spatial::Vector3<T>& rate) const {
    return {-0.3 * rate[0] + t, -0.2 * rate[1] * x[2], 0.1 * x[0] * x[0]};
  }
};

template <class Visit>
void for_each_other(const Visit& visit) {
  visit("body", SpatialRigidBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2});
  visit("body with singular mass", SpatialRigidBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2, 0.0});
  visit("point mass", SpatialPointMass{1.7});
  visit("gravity", SpatialGravity{1.3, 0.3, -0.2, -9.0});
  visit("force", SpatialAppliedForce(some_end(), Drag()));
  visit("force on point", SpatialAppliedForce(PointEnd(), Drag()));
  visit("torque", SpatialAppliedTorque(Drag(), {0.6, 0.0, 0.8}));
  visit("spring", SpatialSpringDamper(some_end(), some_end(), 2.0, 0.4, 0.3));
  visit("spring to ground", SpatialSpringDamper(some_ground(), some_end(), 2.0, 0.4, 0.3));
  visit("spring to point", SpatialSpringDamper(PointEnd(), some_end(), 2.0, 0.4, 0.3));
  visit("torsion spring", SpatialTorsionSpring(some_end(), some_end(), 2.0, 0.4, 0.3));
  visit("torsion spring to ground", SpatialTorsionSpring(some_end(), some_ground(), 2.0, 0.4, 0.3));
  visit("prescribed point", SpatialPrescribedPoint(some_end(), some_ground(), Swing()));
  visit("driven hinge", SpatialDrivenHinge(some_ground(), some_end(), Swing()));
  visit("driven hinge of two", SpatialDrivenHinge(some_end(), some_end(), Swing()));
  visit("prescribed velocity", SpatialPrescribedVelocity(some_end(), some_ground(), Swing()));
  visit("rolling disc", SpatialRollingDisc(0.7, some_end(), some_ground()));
  visit("skate", SpatialSkate(some_end(), some_ground()));
}

template <class Visit>
void for_each_element(const Visit& visit) {
  for_each_joint([&](const char* name, const auto& joint, int) { visit(name, joint); });
  for_each_other(visit);
}

/// Product of Euler parameters: the turn p after the turn e.
Vector4d after(const Vector4d& p, const Vector4d& e) {
  const Eigen::Quaterniond product =
      Eigen::Quaterniond(p[0], p[1], p[2], p[3]) * Eigen::Quaterniond(e[0], e[1], e[2], e[3]);
  return {product.w(), product.x(), product.y(), product.z()};
}

/// The same motion seen after a turn p and a shift of everything.
void move(const Bench& bench, const Vector4d& p, const Vector3d& shift, VectorXd& q, VectorXd& v) {
  const Matrix3d R = rotation_matrix(p);
  for (const Block& block : bench.blocks) {
    q.segment<3>(block.first) = R * q.segment<3>(block.first).eval() + shift;
    v.segment<3>(block.first) = R * v.segment<3>(block.first).eval();
    if (block.kind != BlockKind::spatial_body) continue;
    q.segment<4>(block.first + 3) = after(p, q.segment<4>(block.first + 3));
    v.segment<4>(block.first + 3) = after(p, v.segment<4>(block.first + 3));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(euler_parameters_are_those_of_the_rotation) {
  for (int sample = 0; sample < 20; ++sample) {
    const Vector3d axis = random_vector();
    const double angle = 3.0 * random_number();
    const Matrix3d A = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
    const Vector4d e = euler_parameters(axis, angle);
    BOOST_TEST((rotation_matrix(e) - A).cwiseAbs().maxCoeff() < 1e-14);
    const Vector4d back = euler_parameters(A);
    BOOST_TEST(back[0] >= 0.0);
    BOOST_TEST((e[0] < 0.0 ? Vector4d(-e) : e).isApprox(back, 1e-13));
    // A' = omega x A, and back
    const Vector3d omega = random_vector();
    const Vector4d rate = euler_parameter_rates(e, omega);
    BOOST_TEST(std::abs(e.dot(rate)) < 1e-15);
    BOOST_TEST((angular_velocity(e, rate) - omega).norm() < 1e-14);
    const double h = 1e-5;
    const Matrix3d A_rate = (rotation_matrix(e + h * rate) - rotation_matrix(e - h * rate)) / (2.0 * h);
    for (int k = 0; k < 3; ++k) BOOST_TEST((A_rate.col(k) - omega.cross(A.col(k))).norm() < 1e-9);
  }
  BOOST_TEST((rotation_matrix(euler_parameters({0.0, 0.0, 1.0}, 0.0)) - Matrix3d::Identity()).norm() == 0.0);
}

BOOST_AUTO_TEST_CASE(poses_go_there_and_back) {
  const SpatialPose pose = random_pose();
  const Vector3d point = random_vector(), velocity = random_vector(), omega = random_vector();
  BOOST_TEST((pose.to_body(pose.to_ground(point)) - point).norm() < 1e-14);
  VectorXd q = VectorXd::Zero(9);
  q.segment<7>(2) = pose.coordinates();
  BOOST_TEST((SpatialPose::of(q, 2).e - pose.e).norm() < 1e-15);
  // velocity of a point of the body: v + omega x (A s)
  const BodyEnd end = BodyEnd::at(pose, point);
  const VectorXd x = pose.coordinates(), x_rate = pose.rates(velocity, omega);
  const auto P = end.point(View<const double>(x.data(), 7));
  const auto rate = end.point_rate(View<const double>(x.data(), 7), View<const double>(x_rate.data(), 7));
  BOOST_TEST((Vector3d(P[0], P[1], P[2]) - point).norm() < 1e-14);
  BOOST_TEST((Vector3d(rate[0], rate[1], rate[2]) - velocity - omega.cross(point - pose.position)).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(bad_directions_and_matrices_are_refused) {
  const auto complains = [](const char* word, const auto& call) {
    BOOST_CHECK_EXCEPTION(call(), Error,
                          [&](const Error& e) { return std::string(e.what()).find(word) != std::string::npos; });
  };
  complains("axis", [] { return BodyEnd({0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}); });
  complains("point", [] { return GroundEnd({NAN, 0.0, 0.0}, {0.0, 0.0, 1.0}); });
  complains("x_direction", [] { return BodyEnd({0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -2.0, 0.0}); });
  complains("axis", [] { return euler_parameters(Vector3d(0.0, 0.0, 0.0), 1.0); });
  complains("det A", [] { return euler_parameters(Matrix3d(-Matrix3d::Identity())); });
  complains("first + 7", [] { return SpatialPose::of(VectorXd::Zero(7), 1); });
}

BOOST_AUTO_TEST_CASE(own_rows_agree_with_dual_numbers) {
  for_each_joint([](const char* name, const auto& joint, int) {
    BOOST_TEST_CONTEXT(name) {
      using Joint = std::decay_t<decltype(joint)>;
      Bench own(joint);
      const Bench plain(Plain<Joint>{joint});
      for (int sample = 0; sample < 5; ++sample) {
        own.draw();
        own.q *= 1.1;  // |e| = 1 is not assumed
        const auto x = own.at(0.3, own.q, own.v), y = plain.at(0.3, own.q, own.v);
        BOOST_TEST(largest(vector(x->position) - vector(y->position)) < 1e-14);
        BOOST_TEST(largest(vector(x->velocity) - vector(y->velocity)) < 1e-13);
        BOOST_TEST(largest(vector(x->bias) - vector(y->bias)) < 1e-12);
        BOOST_TEST(largest(vector(x->jacobian) - vector(y->jacobian)) < 1e-13);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(derivatives_agree_with_differences) {
  for_each_element([](const char* name, const auto& element) {
    BOOST_TEST_CONTEXT(name) {
      const Bench bench(element);
      const DerivativeCheck check = check_derivatives(bench.system, 0.3, bench.q, bench.v);
      BOOST_TEST(check.passed, check.text());
    }
  });
}

BOOST_AUTO_TEST_CASE(ideal_reactions_do_no_work_and_drives_their_power) {
  // the power of the reactions is -lambda^T G v; of rows without explicit time G v is the rate, zero in every motion
  for_each_element([](const char* name, const auto& element) {
    BOOST_TEST_CONTEXT(name) {
      const Bench bench(element);
      if (bench.system->num_constraints() == 0) return;
      const auto w = bench.at(0.3, bench.q, bench.v);
      const VectorXd difference = bench.rate_without_time(*w) - vector(w->velocity);
      const bool driven = std::string(name).find("prescribed") == 0 || std::string(name).find("driven") == 0;
      if (!driven) BOOST_TEST(largest(difference) < 1e-13);
      const double s = 0.4 + 0.3 * std::sin(0.6), s_dot = 0.6 * std::cos(0.6);
      if (name == std::string("prescribed point")) BOOST_TEST(std::abs(difference[0] - s_dot) < 1e-13);
      if (name == std::string("prescribed velocity")) BOOST_TEST(std::abs(difference[0] - s) < 1e-13);
    }
  });
}

BOOST_AUTO_TEST_CASE(forces_are_the_gradient_of_the_energy_and_power_closes_the_balance) {
  for_each_element([](const char* name, const auto& element) {
    BOOST_TEST_CONTEXT(name) {
      using E = std::decay_t<decltype(element)>;
      if constexpr (Capabilities<E>::has_force && !Capabilities<E>::has_mass) {
        const Bench bench(element);
        const double h = 1e-5;
        const double change =
            (bench.at(0.3, bench.q + h * bench.v, bench.v)->energy - bench.at(0.3, bench.q - h * bench.v, bench.v)->energy) /
            (2.0 * h);
        const auto w = bench.at(0.3, bench.q, bench.v);
        BOOST_TEST(std::abs(vector(w->force).dot(bench.v) + change - w->power) < 1e-8);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(bodies_have_the_energy_of_translation_and_rotation) {
  const SpatialRigidBody body{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2};
  Matrix3d J;
  J << 0.7, 0.1, -0.05, 0.1, 1.1, 0.2, -0.05, 0.2, 0.9;
  Bench bench(body);
  const SpatialPose pose = random_pose();
  const Vector3d velocity = random_vector(), omega = random_vector();
  bench.q = pose.coordinates();
  bench.v = pose.rates(velocity, omega);
  const auto w = bench.at(0.0, bench.q, bench.v);
  const Vector3d own = pose.rotation().transpose() * omega;
  const double expected = 0.5 * 1.3 * velocity.squaredNorm() + 0.5 * own.dot(J * own);
  const MatrixXd M = Eigen::Map<const MatrixXd>(w->mass.data(), 7, 7);
  BOOST_TEST(std::abs(w->energy - expected) < 1e-14);
  BOOST_TEST(std::abs(0.5 * bench.v.dot(M * bench.v) - expected) < 1e-14);
  // N fills the direction along e with the mean moment, and nothing else
  Bench bare(SpatialRigidBody{1.3, 0.7, 1.1, 0.9, 0.1, -0.05, 0.2, 0.0});
  const auto u = bare.at(0.0, bench.q, bench.v);
  const MatrixXd without = Eigen::Map<const MatrixXd>(u->mass.data(), 7, 7);
  const Vector4d e = pose.e;
  BOOST_TEST((without.bottomRightCorner<4, 4>() * e).norm() < 1e-14);
  BOOST_TEST((M.bottomRightCorner<4, 4>() * e - 4.0 * 0.9 * e).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(rows_forces_and_energy_do_not_see_a_rigid_motion_of_everything) {
  const auto invariant = [](const Bench& bench, int rotating_rows) {
    const Vector4d p = random_pose().e;
    const Vector3d shift = random_vector();
    const Matrix3d R = rotation_matrix(p);
    VectorXd q = bench.q, v = bench.v;
    move(bench, p, shift, q, v);
    const auto before = bench.at(0.3, bench.q, bench.v), now = bench.at(0.3, q, v);
    for (const auto& [x, y] : {std::pair(&before->position, &now->position), {&before->velocity, &now->velocity},
                               {&before->bias, &now->bias}}) {
      VectorXd expected = vector(*x);
      if (rotating_rows == 3) expected.head<3>() = R * expected.head<3>().eval();
      BOOST_TEST(largest(vector(*y) - expected) < 1e-12);
    }
    VectorXd force = vector(before->force), unused = force;
    move(bench, p, Vector3d::Zero(), force, unused);
    BOOST_TEST(largest(force - vector(now->force)) < 1e-12);
    BOOST_TEST(std::abs(before->energy - now->energy) < 1e-12);
  };
  for_each_joint([&](const char* name, const auto& joint, int rotating_rows) {
    BOOST_TEST_CONTEXT(name) {
      if (std::string(name).find("ground") == std::string::npos) invariant(Bench(joint), rotating_rows);
    }
  });
  for_each_other([&](const char* name, const auto& element) {
    BOOST_TEST_CONTEXT(name) {
      for (const char* free : {"body", "body with singular mass", "spring", "spring to point", "torsion spring",
                               "driven hinge of two"}) {
        if (name == std::string(free)) invariant(Bench(element), 0);
      }
    }
  });
}

namespace {

/// Two bodies, or one, joined at a random pose, with the joint there once or twice.
template <class Joint>
RedundancyReport redundancy(const Joint& joint, const std::vector<SpatialPose>& poses, int times) {
  Assembly assembly;
  std::vector<Block> blocks;
  VectorXd q(static_cast<Eigen::Index>(7 * poses.size()));
  for (const SpatialPose& pose : poses) {
    const std::string name = std::to_string(blocks.size());
    blocks.push_back(assembly.add_coordinates("body " + name, BlockKind::spatial_body));
    assembly.add("inertia " + name, SpatialRigidBody{1.0, 0.3, 0.2, 0.25}, {blocks.back()});
    q.segment<7>(blocks.back().first) = pose.coordinates();
  }
  for (int k = 0; k < times; ++k) assembly.add("joint " + std::to_string(k), joint, blocks);
  return analyse_redundancy(assembly.build(), 0.0, q);
}

template <template <class, class> class Joint>
void check_redundancy(const char* name, int rows) {
  BOOST_TEST_CONTEXT(name) {
    // at random, and with all axes of both bodies parallel to those of the ground
    for (const SpatialPose& first : {random_pose(), SpatialPose{}}) {
      const SpatialPose second{first.position + random_vector(), first.e[0] == 1.0 ? first.e : random_pose().e};
      const Vector3d point = random_vector(), z = first.e[0] == 1.0 ? Vector3d(0.0, 0.0, 1.0) : random_vector();
      const bool cross = std::string(name) == "universal";
      const Vector3d other = cross ? z.cross(Vector3d(1.0, 0.3, 0.2)) : z;
      const Joint<BodyEnd, BodyEnd> joint(BodyEnd::at(first, point, z), BodyEnd::at(second, point, other));
      const Joint<BodyEnd, GroundEnd> grounded(BodyEnd::at(first, point, z), GroundEnd(point, other));
      for (const bool two : {true, false}) {
        const auto poses = two ? std::vector<SpatialPose>{first, second} : std::vector<SpatialPose>{first};
        for (const int times : {1, 2}) {
          const RedundancyReport report =
              two ? redundancy(joint, poses, times) : redundancy(grounded, poses, times);
          BOOST_TEST(report.redundant == (times - 1) * rows, report.text());
          BOOST_TEST(report.permanent == (times - 1) * rows, report.text());
          BOOST_TEST(report.degrees_of_freedom == 6 * static_cast<int>(poses.size()) - rows);
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(joints_take_their_degrees_of_freedom_and_are_redundant_when_doubled) {
  check_redundancy<SpatialSpherical>("spherical", 3);
  check_redundancy<SpatialRevolute>("revolute", 5);
  check_redundancy<SpatialUniversal>("universal", 4);
  check_redundancy<SpatialCylindrical>("cylindrical", 4);
  check_redundancy<SpatialPrismatic>("prismatic", 5);
  check_redundancy<SpatialFixed>("fixed", 6);
}

BOOST_AUTO_TEST_CASE(flat_discs_upright_blades_and_springs_of_no_length_are_declined) {
  const auto declines = [](const auto& element, const VectorXd& q) {
    const Bench bench(element);
    const auto w = bench.system->make_workspace(Storage::dense);
    const VectorXd v = VectorXd::Zero(q.size());
    return !bench.system->evaluate(request::acceleration_level, {0.0, q.data(), v.data(), nullptr, nullptr}, *w);
  };
  const SpatialPose flat, upright{{0.0, 0.0, 1.0}, euler_parameters({1.0, 0.0, 0.0}, std::acos(0.0))};
  BOOST_TEST(declines(SpatialRollingDisc(1.0), flat.coordinates()));
  BOOST_TEST(!declines(SpatialRollingDisc(1.0), upright.coordinates()));
  BOOST_TEST(declines(SpatialSkate(), flat.coordinates()));
  BOOST_TEST(!declines(SpatialSkate(), upright.coordinates()));
  BOOST_TEST(declines(SpatialSpringDamper(BodyEnd(), GroundEnd(), 1.0, 0.0), flat.coordinates()));
}
