// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <sunlagrange/consistency/redundancy.hpp>
#include <sunlagrange/elements.hpp>
#include <sunlagrange/import/import_robot.hpp>
#include <sunlagrange/model/system_evaluator.hpp>
#include <sunlagrange/results/power_balance.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "import/left_out.hpp"

/// Robot descriptions: the mechanism has the inertia, joints and forces of the file, and says what it has not.
using namespace sunlagrange;

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

ImportedRobot imported(const std::string& text, const ImportOptions& options = {}) {
  const std::string file = "import_robot_test.xml";
  std::ofstream(file) << text;
  return import_robot(file, options);
}

std::string complaint(const std::string& text, const ImportOptions& options = {}) {
  try {
    imported(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  BOOST_ERROR("nothing is refused in " + text);
  return "";
}

bool says(const std::string& text, const std::string& words) {
  if (text.find(words) != std::string::npos) return true;
  BOOST_TEST_MESSAGE("not \"" << words << "\" in: " << text);
  return false;
}

int block(const MechanicalSystem& system, const std::string& name) {
  for (const NamedBlock& known : system.blocks()) {
    if (known.name == name) return known.first;
  }
  BOOST_FAIL("no block " + name);
  return 0;
}

SimulationOptions precise(double t_end) {
  SimulationOptions options;
  options.t_end = t_end;
  options.rtol = options.atol = 1e-10;
  options.formulation = "projected";
  return options;
}

std::string inertial(const std::string& xyz, const std::string& rpy, double m, double x, double y, double z) {
  const auto number = [](double value) { return "=\"" + std::to_string(value) + "\" "; };
  return "<inertial><origin xyz=\"" + xyz + "\" rpy=\"" + rpy + "\"/><mass value" + number(m) + "/><inertia ixx" +
         number(x) + "ixy=\"0\" ixz=\"0\" iyy" + number(y) + "iyz=\"0\" izz" + number(z) + "/></inertial>";
}

}  // namespace

#if SUNLAGRANGE_TEST_URDF

namespace {

/// Two rods of 1 m in the x-y plane, hinged about z.
std::string double_pendulum(const std::string& dynamics) {
  const std::string rod = inertial("0.5 0 0", "0 0 0", 2.0, 0.01, 0.175, 0.18);
  return "<robot name=\"two\"><link name=\"foot\"/><link name=\"upper\">" + rod + "</link><link name=\"lower\">" + rod +
         "</link><joint name=\"shoulder\" type=\"continuous\"><parent link=\"foot\"/><child link=\"upper\"/>"
         "<axis xyz=\"0 0 2\"/>" +
         dynamics +
         "</joint><joint name=\"elbow\" type=\"continuous\"><origin xyz=\"1 0 0\"/>"
         "<parent link=\"upper\"/><child link=\"lower\"/><axis xyz=\"0 0 1\"/>" +
         dynamics + "</joint></robot>";
}

ImportOptions swinging() {
  ImportOptions options;
  options.gravity = {0.0, -9.81, 0.0};
  options.positions = {{"shoulder", -0.4}, {"elbow", 0.9}};
  options.velocities = {{"shoulder", 0.5}, {"elbow", -1.5}};
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(mass_centre_and_inertia_of_welded_links_are_kept) {
  const std::string text =
      "<robot name=\"r\"><link name=\"frame\"/><link name=\"a\">" +
      inertial("0.1 -0.2 0.3", "0.3 -0.5 1.1", 2.0, 0.3, 0.4, 0.5) + "</link><link name=\"b\">" +
      inertial("0.05 0.1 -0.2", "-0.7 0.2 0.4", 0.7, 0.05, 0.06, 0.07) +
      "</link><joint name=\"j\" type=\"fixed\"><origin xyz=\"1 2 3\" rpy=\"0.2 0.4 -0.6\"/><parent "
      "link=\"frame\"/><child link=\"a\"/></joint><joint name=\"k\" type=\"fixed\"><origin xyz=\"0.4 "
      "0.5 -0.6\" rpy=\"1 0.3 0.2\"/><parent link=\"a\"/><child link=\"b\"/></joint></robot>";
  ImportOptions options;
  options.base = ImportOptions::Base::free;
  const ImportedRobot robot = imported(text, options);
  const MechanicalSystem& system = *robot.mechanism.system;
  BOOST_REQUIRE(system.num_positions() == 7);
  BOOST_TEST(system.blocks()[0].name == "a");  // the first with mass

  // energy of any rigid motion, from the numbers of the file
  const auto turn = [](double r, double p, double y) {
    return Matrix3d(Eigen::AngleAxisd(y, Vector3d::UnitZ()) * Eigen::AngleAxisd(p, Vector3d::UnitY()) *
                    Eigen::AngleAxisd(r, Vector3d::UnitX()));
  };
  const Matrix3d A = turn(0.2, 0.4, -0.6), B = A * turn(1.0, 0.3, 0.2);
  const Vector3d a{1.0, 2.0, 3.0}, b = a + A * Vector3d(0.4, 0.5, -0.6);
  const auto energy = [](double m, const Vector3d& centre, const Matrix3d& axes, const Vector3d& J, const Vector3d& u,
                         const Vector3d& w) {
    const Vector3d in_axes = axes.transpose() * w;
    return 0.5 * m * (u + w.cross(centre)).squaredNorm() + 0.5 * in_axes.dot(J.cwiseProduct(in_axes));
  };
  SystemEvaluator evaluator(robot.mechanism.system);
  const Eigen::VectorXd q = robot.mechanism.start.q;
  const Eigen::MatrixXd M = evaluator.at(0.0, q).M;
  const SpatialPose pose = SpatialPose::of(q, 0);
  for (int k = 0; k < 6; ++k) {
    const Vector3d u{0.3 * k, 1.0 - k, 0.7}, w{1.0 + k, -0.4 * k, 0.2};
    const double expected =
        energy(2.0, a + A * Vector3d(0.1, -0.2, 0.3), A * turn(0.3, -0.5, 1.1), {0.3, 0.4, 0.5}, u, w) +
        energy(0.7, b + B * Vector3d(0.05, 0.1, -0.2), B * turn(-0.7, 0.2, 0.4), {0.05, 0.06, 0.07}, u, w);
    const Eigen::VectorXd v = pose.rates(u + w.cross(pose.position), w);
    BOOST_TEST(0.5 * v.dot(M * v) == expected, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(a_double_pendulum_moves_as_the_one_built_by_hand_in_the_plane) {
  const ImportedRobot robot = imported(double_pendulum(""), swinging());
  const auto& system = robot.mechanism.system;
  const ConsistentState first = consistent_state(system, robot.mechanism.start);
  BOOST_TEST(first.report.position_violation_before < 1e-14);
  BOOST_TEST(first.report.velocity_violation_before < 1e-13);

  Assembly assembly;
  const Block upper = assembly.add_coordinates("upper", BlockKind::planar_body);
  const Block lower = assembly.add_coordinates("lower", BlockKind::planar_body);
  for (const Block& rod : {upper, lower}) {
    const std::string name = rod.first == 0 ? "upper" : "lower";
    assembly.add("inertia of " + name, PlanarRigidBody{2.0, 0.18}, {rod});
    assembly.add("weight of " + name, UniformGravity{2.0}, {centre_of(rod)});
  }
  assembly.add("shoulder", RevoluteToGround{-0.5, 0.0, 0.0, 0.0}, {upper});
  assembly.add("elbow", Revolute{0.5, 0.0, -0.5, 0.0}, {upper, lower});
  const auto planar = assembly.build();
  const double first_angle = -0.4, second_angle = 0.5, first_rate = 0.5, second_rate = -1.0;
  InitialState start{0.0, Eigen::VectorXd(6), Eigen::VectorXd(6)};
  const Eigen::Vector2d n1{std::cos(first_angle), std::sin(first_angle)},
      n2{std::cos(second_angle), std::sin(second_angle)};
  const Eigen::Vector2d t1{-n1[1], n1[0]}, t2{-n2[1], n2[0]};
  start.q << 0.5 * n1, first_angle, n1 + 0.5 * n2, second_angle;
  start.v << 0.5 * first_rate * t1, first_rate, first_rate * t1 + 0.5 * second_rate * t2, second_rate;

  const Simulation spatial = simulate(system, robot.mechanism.start, precise(1.0));
  const Simulation expected = simulate(planar, start, precise(1.0));
  BOOST_REQUIRE(spatial.status.finished());
  BOOST_REQUIRE(expected.status.finished());
  const Eigen::VectorXd q = spatial.trajectory.position_at(1.0), reference = expected.trajectory.position_at(1.0);
  for (const char* name : {"upper", "lower"}) {
    const int at = block(*system, name), beside = block(*planar, name);
    BOOST_TEST((q.segment<2>(at) - reference.segment<2>(beside)).norm() < 1e-6);
    const SpatialPose pose = SpatialPose::of(q, at);
    BOOST_TEST((pose.rotation().col(0).head<2>() -
                Eigen::Vector2d(std::cos(reference[beside + 2]), std::sin(reference[beside + 2])))
                   .norm() < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(damping_takes_the_energy_that_the_motion_loses) {
  const ImportedRobot robot = imported(double_pendulum("<dynamics damping=\"0.3\"/>"), swinging());
  const Simulation run = simulate(robot.mechanism.system, robot.mechanism.start, precise(2.0));
  BOOST_REQUIRE(run.status.finished());
  const EnergyBalance balance = energy_balance(run.trajectory, robot.mechanism.system);
  BOOST_TEST(balance.supplied < -1.0);
  BOOST_TEST(balance.closure < 1e-7);

  // c (rate of the joint)^2, not of the bodies
  const PowerBalance at_start =
      power_balance(*robot.mechanism.system, consistent_state(robot.mechanism.system, robot.mechanism.start).state);
  BOOST_TEST(at_start.supplied == -0.3 * (0.5 * 0.5 + 1.5 * 1.5), boost::test_tools::tolerance(1e-10));
}

namespace {

Vector3d place(const Drawing::Point& p) {
  return {p.x, p.y, p.z};
}

/// The shapes of a kind, and their body.
std::vector<Drawing::Shape> shapes_of(const Drawing& drawing, Drawing::Kind kind, const std::string& body) {
  std::vector<Drawing::Shape> found;
  for (const Drawing::Shape& shape : drawing.shapes()) {
    if (shape.kind != kind || shape.part_of < 0) continue;
    const Drawing::Shape& whole = drawing.shapes()[static_cast<std::size_t>(shape.part_of)];
    if (whole.kind == Drawing::Kind::body && whole.of == body) found.push_back(shape);
  }
  return found;
}

Eigen::Isometry3d moved(const Vector3d& by, double angle, const Vector3d& axis) {
  return Eigen::Translation3d(by) * Eigen::AngleAxisd(angle, axis);
}

}  // namespace

BOOST_AUTO_TEST_CASE(shapes_of_links_are_drawn_where_they_are) {
  const std::string rod = inertial("0.2 0.1 0.5", "0.3 0 0", 1.0, 0.1, 0.1, 0.01);
  ImportOptions options;
  options.positions = {{"shoulder", 0.7}, {"wrist", -0.4}};
  const ImportedRobot robot = imported(
      "<robot name=\"arm\"><link name=\"foot\"><visual><geometry><sphere radius=\"1\"/></geometry></visual></link>"
      "<link name=\"arm\">" +
          rod +
          "<visual><origin xyz=\"0.1 0.2 0.3\" rpy=\"0.5 0 0\"/><geometry><box size=\"0.6 0.4 "
          "0.2\"/></geometry></visual>"
          "<visual><geometry><mesh filename=\"package://arm/arm.stl\" scale=\"1 1 1\"/></geometry></visual></link>"
          "<link name=\"hand\">" +
          rod +
          "<visual><origin xyz=\"0 0 0.1\" rpy=\"0 1.2 0\"/><geometry><cylinder radius=\"0.05\" length=\"0.3\"/>"
          "</geometry></visual></link><link name=\"finger\"><visual><origin xyz=\"0.01 0 0\"/><geometry><sphere "
          "radius=\"0.02\"/></geometry></visual><visual><geometry><mesh filename=\"tip.dae\"/></geometry></visual>"
          "</link><joint name=\"shoulder\" type=\"continuous\"><origin xyz=\"0 0 1\"/><parent link=\"foot\"/><child "
          "link=\"arm\"/><axis xyz=\"0 1 0\"/></joint><joint name=\"wrist\" type=\"continuous\"><origin xyz=\"0 0.1 "
          "0.8\" rpy=\"0 0 0.9\"/><parent link=\"arm\"/><child link=\"hand\"/><axis xyz=\"1 0 0\"/></joint><joint "
          "name=\"weld\" type=\"fixed\"><origin xyz=\"0 0 0.2\"/><parent link=\"hand\"/><child "
          "link=\"finger\"/></joint></robot>",
      options);

  // by the frames of the format: that of a link is that of its joint, moved by the joint
  const Vector3d x = Vector3d::UnitX(), y = Vector3d::UnitY(), z = Vector3d::UnitZ();
  const Eigen::Isometry3d arm = moved({0.0, 0.0, 1.0}, 0.7, y);
  const Eigen::Isometry3d hand = arm * moved({0.0, 0.1, 0.8}, 0.9, z) * moved(Vector3d::Zero(), -0.4, x);
  const Eigen::Isometry3d finger = hand * Eigen::Translation3d(0.0, 0.0, 0.2);
  const Drawing drawing = draw(*robot.mechanism.system, 0.0, robot.mechanism.start.q);
  constexpr double near = 1e-9;

  const auto boxes = shapes_of(drawing, Drawing::Kind::box, "arm");
  BOOST_REQUIRE(boxes.size() == 1u);
  const Eigen::Isometry3d box = arm * moved({0.1, 0.2, 0.3}, 0.5, x);
  for (std::size_t k = 0; k < 8; ++k) {
    const Vector3d corner((k & 1U) != 0 ? 0.3 : -0.3, (k & 2U) != 0 ? 0.2 : -0.2, (k & 4U) != 0 ? 0.1 : -0.1);
    BOOST_TEST((place(boxes[0].points[k]) - box * corner).norm() < near);
  }
  const auto cylinders = shapes_of(drawing, Drawing::Kind::cylinder, "hand");
  BOOST_REQUIRE(cylinders.size() == 1u);
  const Eigen::Isometry3d cylinder = hand * moved({0.0, 0.0, 0.1}, 1.2, y);
  const Vector3d end = place(cylinders[0].points[0]), rim = place(cylinders[0].points[2]) - end;
  BOOST_TEST((end - cylinder * Vector3d(0.0, 0.0, -0.15)).norm() < near);
  BOOST_TEST((place(cylinders[0].points[1]) - cylinder * Vector3d(0.0, 0.0, 0.15)).norm() < near);
  BOOST_TEST(std::abs(rim.norm() - 0.05) < near);
  BOOST_TEST(std::abs(rim.dot(cylinder.linear().col(2))) < near);
  const auto spheres = shapes_of(drawing, Drawing::Kind::sphere, "hand");  // the finger is welded to it
  BOOST_REQUIRE(spheres.size() == 1u);
  const Vector3d centre = place(spheres[0].points[0]);
  BOOST_TEST((centre - finger * Vector3d(0.01, 0.0, 0.0)).norm() < near);
  BOOST_TEST(std::abs((place(spheres[0].points[1]) - centre).norm() - 0.02) < near);

  const std::string notes = robot.notes_text();
  BOOST_TEST(says(notes,
                  "not drawn: mesh \"package://arm/arm.stl\" (the picture has boxes, cylinders and spheres): "
                  "link \"arm\""));
  BOOST_TEST(
      says(notes, "not drawn: mesh \"tip.dae\" (the picture has boxes, cylinders and spheres): link \"finger\""));
  BOOST_TEST(says(notes, "not drawn: shapes of links that the ground holds"));
  BOOST_TEST(notes.find("left out: <visual>") == std::string::npos);

  // they have no part in the motion, and the page has them
  const Simulation run = simulate(robot.mechanism.system, robot.mechanism.start, precise(0.1));
  std::ostringstream page;
  write_html(run, robot.mechanism.system, page);
  for (const char* kind : {"box", "cylinder", "sphere"})
    BOOST_TEST(says(page.str(), "{\"kind\":\"" + std::string(kind) + "\""));
  const std::string text = mechanism_text(robot.mechanism);
  BOOST_TEST(mechanism_text(parse_mechanism(text, "again")) == text);
}

BOOST_AUTO_TEST_CASE(what_is_not_understood_is_listed_with_its_place) {
  const std::string rod = inertial("0 0 -0.5", "0 0 0", 1.0, 0.1, 0.1, 0.01);
  const ImportedRobot robot = imported(
      "<robot name=\"r\">\n<link name=\"foot\"/>\n<link name=\"arm\">" + rod +
      "\n<visual><material name=\"red\"/><geometry><sphere radius=\"1\"/></geometry></visual></link>\n<link "
      "name=\"hand\">" +
      rod +
      "</link>\n<link name=\"lamp\"/>\n<joint name=\"a\" type=\"revolute\"><parent link=\"foot\"/><child "
      "link=\"arm\"/><axis "
      "xyz=\"0 1 0\"/>\n<limit lower=\"-1\" upper=\"1\" effort=\"5\" velocity=\"2\"/><dynamics damping=\"0\" "
      "friction=\"0.2\"/></joint>\n<joint name=\"b\" type=\"continuous\"><parent link=\"arm\"/><child "
      "link=\"hand\"/><axis "
      "xyz=\"0 1 0\"/><mimic joint=\"a\" multiplier=\"2\"/></joint>\n<joint name=\"c\" type=\"continuous\"><parent "
      "link=\"hand\"/><child link=\"lamp\"/></joint>\n<transmission name=\"t\"/><gazebo reference=\"arm\"/>\n"
      "<glow strength=\"3\"/></robot>");
  const std::string notes = robot.notes_text();
  BOOST_TEST(says(notes, "<material> (colours have no part in the motion): link \"arm\", line 4"));
  BOOST_TEST(says(notes, "<limit>"));
  BOOST_TEST(says(notes, "friction of <dynamics>"));
  BOOST_TEST(says(notes, "<mimic>"));
  BOOST_TEST(says(notes, "<transmission>"));
  BOOST_TEST(says(notes, "<gazebo>"));
  BOOST_TEST(says(notes, "left out: <glow> (the importer does not know it): line 12"));
  BOOST_TEST(says(notes, "\"lamp\" with \"hand\", without joint \"c\""));
  BOOST_TEST(says(notes, "\"foot\" with the ground"));
  BOOST_TEST(!robot.mechanism.system->blocks().empty());
  BOOST_TEST(robot.mechanism.system->num_positions() == 14);

  // and what is, is what a model file says, word for word
  const std::string text = mechanism_text(robot.mechanism);
  BOOST_TEST(mechanism_text(parse_mechanism(text, "again")) == text);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_with_its_place) {
  const std::string rod = inertial("0 0 -0.5", "0 0 0", 1.0, 0.1, 0.1, 0.01);
  const auto with_arm = [](const std::string& arm, const std::string& joint) {
    return "<robot name=\"r\">\n<link name=\"foot\"/>\n<link name=\"arm\">" + arm + "</link>\n" + joint + "</robot>";
  };
  const auto joint = [](const std::string& type, const std::string& axis) {
    return "<joint name=\"hinge\" type=\"" + type + "\"><parent link=\"foot\"/><child link=\"arm\"/><axis xyz=\"" +
           axis + "\"/></joint>\n";
  };
  BOOST_TEST(says(complaint("<robot name=\"r\">\n<link name=\"a\">\n</robot>"), "import_robot_test.xml:"));
  BOOST_TEST(says(complaint("nothing"), "xml:1: no XML: text stands outside of all elements"));
  BOOST_TEST(
      says(complaint(with_arm(rod, joint("planar", "0 0 1"))), ":4: joint \"hinge\": type planar has no element"));
  BOOST_TEST(says(complaint(with_arm(rod, joint("continuous", "0 0 0"))), "joint \"hinge\": axis xyz = 0 0 0"));
  BOOST_TEST(says(complaint(with_arm(rod, joint("revolute", "0 0 1"))), "hinge"));  // without <limit>, says urdfdom
  BOOST_TEST(
      says(complaint("<robot name=\"r\">\n<xacro:arm/>\n<link name=\"a\"/></robot>"), ":2: <xacro:arm> is a macro"));
  BOOST_TEST(says(complaint(with_arm(rod, "")), "wo root links found"));
  const std::string flat = with_arm(inertial("0 0 0", "0 0 0", 1.0, 0.1, 0.1, 0.9), joint("continuous", "0 0 1"));
  BOOST_TEST(says(complaint(flat), ":3: link \"arm\": Jzz = 0.9: must not exceed Jxx + Jyy"));
  BOOST_TEST(says(complaint(flat), "ball_mass"));
  BOOST_TEST(says(complaint(with_arm("", joint("continuous", "0 0 1"))), "nothing moves"));

  ImportOptions options;
  options.ball_mass = 1.0;
  options.ball_radius = 2.0;
  BOOST_TEST(says(imported(flat, options).notes_text(), "added: a ball of 1 kg, radius 2 m"));
  options = {};
  options.positions["hing"] = 1.0;
  BOOST_TEST(says(complaint(with_arm(rod, joint("continuous", "0 0 1")), options), "did you mean hinge?"));
  BOOST_CHECK_THROW(import_robot("no such file.urdf"), Error);
}

// urdfdom drops all of an <inertial> that is not complete, and keeps the link.
BOOST_AUTO_TEST_CASE(an_incomplete_inertial_is_refused_with_its_field) {
  const std::string whole =
      "<robot name=\"r\">\n<link name=\"foot\"/>\n<link name=\"arm\"><inertial>\n<mass value=\"1\"/>\n<inertia "
      "ixx=\"1\" "
      "ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\n<joint name=\"j\" "
      "type=\"continuous\"><parent link=\"foot\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/></joint></robot>";
  BOOST_CHECK_NO_THROW(imported(whole));
  const auto changed = [&](const std::string& old, const std::string& other) {
    std::string text = whole;
    return complaint(text.replace(text.find(old), old.size(), other));
  };
  for (const char* const field : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
    const std::string words = std::string("xml:5: link \"arm\": <inertia> has no ") + field + ": write <inertia";
    BOOST_TEST(says(changed(std::string(field) + "=", "moment="), words), words);
  }
  BOOST_TEST(says(changed("<mass value=\"1\"/>", ""), "xml:3: link \"arm\": <inertial> has no <mass>"));
  BOOST_TEST(says(changed("value=", "valu="), "xml:4: link \"arm\": <mass> has no value"));
  BOOST_TEST(says(changed("<inertia ", "<inertiatensor "), "xml:3: link \"arm\": <inertial> has no <inertia>"));
}

BOOST_AUTO_TEST_CASE(two_joints_may_join_the_same_two_links) {
  const std::string text =
      "<robot name=\"r\"><link name=\"foot\"/><link name=\"arm\">" + inertial("0 0 0.5", "0 0 0", 1.0, 0.1, 0.1, 0.01) +
      "</link><joint name=\"j\" type=\"continuous\"><parent link=\"foot\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/>"
      "</joint><joint name=\"k\" type=\"continuous\"><parent link=\"foot\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/>"
      "</joint></robot>";
  const ImportedRobot robot = imported(text);
  BOOST_TEST(robot.mechanism.system->num_positions() == 7);
  BOOST_TEST(robot.mechanism.system->num_constraints() == 1 + 2 * 5);
}

// urdfdom leaves an <inertial> out that it cannot read, without a word.
BOOST_AUTO_TEST_CASE(numbers_with_units_are_refused_with_their_field) {
  const std::string whole =
      "<robot name=\"r\">\n<link name=\"foot\"/>\n<link name=\"arm\">" +
      inertial("0 0 -0.5", "0 0 0", 1.0, 0.1, 0.1, 0.01) +
      "</link>\n<joint name=\"hinge\" type=\"continuous\"><parent link=\"foot\"/><child link=\"arm\"/>"
      "<axis xyz=\"0 0 1\"/><dynamics damping=\"0.5\"/></joint>\n</robot>";
  BOOST_CHECK_NO_THROW(imported(whole));
  const auto with = [&](const std::string& old, const std::string& other) {
    std::string text = whole;
    return text.replace(text.find(old), old.size(), other);
  };
  const std::string complaints[][3] = {
      {"0 0 -0.5", "0 0 -0.5m", ":3: <origin> xyz = \"0 0 -0.5m\": \"-0.5m\" is no number"},
      {"value=\"1.000000\"", "value=\"1kg\"", ":3: <mass> value = \"1kg\": \"1kg\" is no number; write it"},
      {"iyz=\"0\"", "iyz=\"0,1\"", ":3: <inertia> iyz = \"0,1\""},
      {"iyz=\"0\"", "iyz=\"nan\"", ":3: <inertia> iyz = \"nan\""},
      {"iyz=\"0\"", "iyz=\"\"", ":3: <inertia> iyz = \"\": has 0 numbers, must have 1"},
      {"0 0 1", "0 1", ":4: <axis> xyz = \"0 1\": has 2 numbers, must have 3"},
      {"0.5\"/></joint>", "0.5 N m s\"/></joint>", ":4: <dynamics> damping = \"0.5 N m s\": \"N\" is no number"}};
  for (const auto& [old, other, words] : complaints) BOOST_TEST(says(complaint(with(old, other)), words), words);
  const std::string bead = "<visual><origin xyz=\"?\"/><geometry><sphere radius=\"1\"/></geometry></visual>";
  const std::size_t end = whole.rfind("</link>");
  BOOST_TEST(says(complaint(std::string(whole).insert(end, bead)), ":3: <origin> xyz = \"?\""));
  BOOST_CHECK_NO_THROW(imported(std::string(whole).insert(end, "<collision><origin xyz=\"?\"/></collision>")));
}

BOOST_AUTO_TEST_CASE(the_root_element_decides_the_format) {
  BOOST_TEST(says(complaint("<!-- <robot> -->"), "no XML: it has no element"));
  BOOST_TEST(says(complaint("<!-- <sdf> -->\n<html><robot name=\"r\"/></html>"), "its root is <html>"));
  BOOST_TEST(says(complaint("<robotics/>"), "its root is <robotics>, neither <robot> nor <sdf>"));
  BOOST_TEST(says(complaint("<![CDATA[ > <robot> ]]>"), "no XML"));
  BOOST_TEST(says(complaint("<!-- not closed <robot name=\"r\"/>"), "no XML: a comment has no end"));
  const ImportedRobot robot = imported(
      "<?xml version=\"1.0\"?>\n<!-- from <sdf version=\"1.9\"/> -->\n<!DOCTYPE robot>\n" + double_pendulum(""));
  BOOST_TEST(robot.mechanism.system->num_positions() == 14);
}

BOOST_AUTO_TEST_CASE(a_joint_with_the_name_of_a_link_is_another_element) {
  const std::string rod = inertial("0 0 -0.5", "0 0 0", 1.0, 0.1, 0.1, 0.01);
  ImportOptions options;
  options.positions["arm"] = 0.5;  // by the name in the description
  const ImportedRobot robot = imported(
      "<robot name=\"r\"><link name=\"foot\"/><link name=\"arm\">" + rod + "</link><link name=\"joint arm\">" + rod +
          "</link><joint name=\"arm\" type=\"continuous\"><parent link=\"foot\"/><child link=\"arm\"/><axis xyz=\"0 1 "
          "0\"/><dynamics damping=\"0.1\"/></joint><joint name=\"wrist\" type=\"continuous\"><parent "
          "link=\"arm\"/><child link=\"joint arm\"/><axis xyz=\"0 1 0\"/></joint></robot>",
      options);
  BOOST_TEST(robot.mechanism.system->num_constraints() == 2 + 2 * 5);
  const std::string notes = robot.notes_text();
  BOOST_TEST(says(notes, "joint \"arm\" is element \"joint joint arm\""));
  BOOST_TEST(notes.find("wrist") == std::string::npos);
  BOOST_TEST(says(mechanism_text(robot.mechanism), "\"damping of joint joint arm\""));
}

#endif

/// Elements that a reader has made up or converted have no line.
BOOST_AUTO_TEST_CASE(a_line_that_is_not_known_is_not_named) {
  internal::XmlElement glow{"glow", 0, "", {}, {}}, link{"link", 0, "", {{"name", "arm"}}, {glow}};
  internal::ImportNotes notes;
  internal::note_left_out({"robot", 0, "", {}, {link, glow}}, {{"robot/link"}, {"link@name"}, {"link"}}, notes);
  std::string where;
  for (const auto& note : notes.take())
    for (const std::string& place : note.where) where += place + "; ";
  BOOST_TEST(where == "link \"arm\"; its line is not known; ");
}

#if SUNLAGRANGE_TEST_SDFORMAT

namespace {

std::string bar(const std::string& name, const std::string& pose, double length) {
  const double moment = length * length / 12.0;
  return "<link name=\"" + name + "\"><pose>" + pose + "</pose><inertial><pose>" + std::to_string(length / 2) +
         " 0 0 0 0 0</pose><mass>1</mass><inertia><ixx>0.001</ixx><iyy>" + std::to_string(moment) + "</iyy><izz>" +
         std::to_string(moment) + "</izz></inertia></inertial></link>\n";
}

std::string pin(const std::string& name, const std::string& parent, const std::string& child, const std::string& pose) {
  return "<joint name=\"" + name + "\" type=\"revolute\"><pose>" + pose + "</pose><parent>" + parent +
         "</parent><child>" + child + "</child><axis><xyz>0 0 1</xyz></axis></joint>\n";
}

/// A platform on three parallel cranks of 1 m.
std::string parallel_cranks() {
  const std::string up = " 0 0 0 1.5707963267948966";
  std::string text = "<sdf version=\"1.9\"><model name=\"cranks\">\n" + bar("platform", "0 1 0 0 0 0", 2.0);
  for (int k = 0; k < 3; ++k) {
    const std::string number = std::to_string(k), crank = "crank " + number;
    text += bar(crank, number + " 0" + up, 1.0) + pin("foot " + number, "world", crank, "0 0 0 0 0 0") +
            pin("head " + number, crank, "platform", number + " 0 0 0 0 0");
  }
  return text + "</model></sdf>";
}

}  // namespace

BOOST_AUTO_TEST_CASE(loops_are_closed_and_their_redundant_rows_named) {
  ImportOptions options;
  options.gravity = {0.0, -9.81, 0.0};
  const ImportedRobot robot = imported(parallel_cranks(), options);
  const auto& system = robot.mechanism.system;
  BOOST_TEST(system->num_constraints() == 4 + 6 * 5);
  const ConsistentState start = consistent_state(system, robot.mechanism.start);
  BOOST_TEST(start.report.position_violation_before < 1e-14);

  const RedundancyReport report = analyse_redundancy(system, 0.0, start.state.q, start.state.v);
  BOOST_TEST(report.degrees_of_freedom == 1);  // three cranks that stay parallel
  BOOST_TEST(report.redundant == 34 - (28 - 1));
  BOOST_TEST(report.permanent == report.redundant);
  std::set<std::string> joints;
  for (const DependentConstraint& row : report.dependent) {
    BOOST_TEST_MESSAGE(row.constraint);
    for (const RelationTerm& term : row.relation) joints.insert(term.constraint.substr(0, 6));
    joints.insert(row.constraint.substr(0, 6));
  }
  for (const char* joint : {"foot 0", "foot 1", "foot 2", "head 0", "head 1", "head 2"})
    BOOST_TEST(joints.count(joint) == 1U, joint);  // a loop goes through each of them
  BOOST_TEST(says(report.text(), "head "));

  const Simulation run = simulate(system, robot.mechanism.start, precise(1.0));
  BOOST_REQUIRE(run.status.finished());
  const Eigen::VectorXd q = run.trajectory.position_at(1.0);
  const SpatialPose platform = SpatialPose::of(q, block(*system, "platform"));
  BOOST_TEST((platform.rotation() - Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-6);
  BOOST_TEST(energy_balance(run.trajectory, system).closure < 1e-7);
}

BOOST_AUTO_TEST_CASE(a_link_of_a_urdf_may_close_a_loop) {
  const auto robot = [](const char* end) {
    std::string text = "<robot name=\"r\"><link name=\"foot\"/><link name=\"pin\"/>";
    for (const char* bar : {"crank", "rod", "rocker"})
      text +=
          "<link name=\"" + std::string(bar) + "\">" + inertial("0 0 0.5", "0 0 0", 1.0, 0.1, 0.1, 0.01) + "</link>";
    const auto joint = [&text](const char* name, const char* type, const char* parent, const char* child,
                               const char* at) {
      text += std::string("<joint name=\"") + name + "\" type=\"" + type + "\"><origin xyz=\"" + at +
              "\"/><parent link=\"" + parent + "\"/><child link=\"" + child + "\"/><axis xyz=\"0 1 0\"/></joint>";
    };
    joint("A", "continuous", "foot", "crank", "0 0 0");
    joint("B", "continuous", "crank", "rod", "0 0 1");
    joint("weld", "fixed", "rod", "pin", "2 0 0");
    joint("D", "continuous", "foot", "rocker", "2 0 0");
    joint("C", "continuous", "rocker", "pin", end);
    return text + "</robot>";
  };
  const ImportedRobot closed = imported(robot("0 0 1"));
  const auto& system = closed.mechanism.system;
  const ConsistentState start = consistent_state(system, closed.mechanism.start);
  const RedundancyReport report = analyse_redundancy(system, 0.0, start.state.q, start.state.v);
  BOOST_TEST(report.degrees_of_freedom == 1);
  BOOST_TEST(report.redundant == 3);  // a planar loop
  BOOST_TEST(says(report.text(), "C."), report.text());
  const std::string open = complaint(robot("0 0 1.1"));
  BOOST_TEST(says(open, "joint \"C\": link \"pin\" is the child of another joint already"), open);
  BOOST_TEST(says(open, "by 0.1"), open);
}

BOOST_AUTO_TEST_CASE(a_spring_along_a_slide_and_the_gravity_of_the_world) {
  const std::string text =
      "<sdf version=\"1.9\"><world name=\"w\"><gravity>0 0 -3</gravity><model name=\"m\"><pose>1 2 3 0 0 0</pose><link "
      "name=\"mass\"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>"
      "<joint name=\"slide\" type=\"prismatic\"><parent>world</parent><child>mass</child><axis><xyz>0 0 "
      "1</xyz><dynamics>"
      "<damping>4</damping><spring_stiffness>50</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>"
      "</axis></joint></model></world></sdf>";
  ImportOptions options;
  options.positions["slide"] = 0.3;
  options.velocities["slide"] = -0.2;
  const ImportedRobot robot = imported(text, options);
  const Simulation run = simulate(robot.mechanism.system, robot.mechanism.start, precise(1.5));
  BOOST_REQUIRE(run.status.finished());
  // 2 s'' + 4 s' + 50 (s - 0.1) = -6: about s = -0.02 with decay 1 and frequency sqrt(24)
  const double w = std::sqrt(24.0), t = 1.5, x = 0.3 + 0.02, v = -0.2;
  const double s = -0.02 + std::exp(-t) * (x * std::cos(w * t) + (v + x) / w * std::sin(w * t));
  BOOST_TEST(run.trajectory.position_at(t)[2] == 3.0 + s, boost::test_tools::tolerance(1e-8));
  BOOST_TEST(energy_balance(run.trajectory, robot.mechanism.system).closure < 1e-7);
}

BOOST_AUTO_TEST_CASE(a_pose_is_that_of_the_placement_frame) {
  const std::string model =
      "<model name=\"m\" placement_frame=\"hook\"><pose>1 2 3 0 0 1.5707963267948966</pose><link name=\"a\"><pose>0 0 "
      "1 0 "
      "0 "
      "0</pose><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link><frame "
      "name=\"hook\" attached_to=\"a\"><pose>1 0 0 0 0 0</pose></frame></model>";
  for (const std::string& text : {model, "<world name=\"w\">" + model + "</world>"}) {
    const ImportedRobot robot = imported("<sdf version=\"1.9\">" + text + "</sdf>");
    const SpatialPose pose = SpatialPose::of(robot.mechanism.start.q, block(*robot.mechanism.system, "a"));
    BOOST_TEST((pose.position + pose.rotation() * Vector3d::UnitX() - Vector3d(1.0, 2.0, 3.0)).norm() < 1e-12);
    BOOST_TEST((pose.rotation().col(0) - Vector3d::UnitY()).norm() < 1e-12);
  }
}

// sdformat takes what it can read of "1kg".
BOOST_AUTO_TEST_CASE(numbers_of_sdformat_are_alone) {
  const std::string whole =
      "<sdf version=\"1.9\">\n<!-- <mass>?</mass> --><model name=\"m\">\n<link "
      "name=\"a\"><pose/><inertial><mass>1</mass>"
      "<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>\n<link name=\"b\">"
      "<pose degrees=\"true\">0 0 +1 0 0 0</pose><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
      "<izz>1</izz></inertia></inertial></link>\n<joint name=\"j\" "
      "type=\"prismatic\"><parent>a</parent><child>b</child>"
      "<axis><xyz><!-- up -->0 0 "
      "1</xyz><dynamics><spring_stiffness>3</spring_stiffness></dynamics></axis></joint>\n</model></sdf>";
  BOOST_CHECK_NO_THROW(imported(whole));
  const std::string complaints[][3] = {{"<mass>1", "<mass>1kg", ":3: <mass> = \"1kg\": \"1kg\" is no number; write it"},
                                       {"0 0 +1", "0 0 1m", ":4: <pose> = \"0 0 1m 0 0 0\": \"1m\" is no number"},
                                       {"0 0 +1", "0 +1", ":4: <pose> = \"0 +1 0 0 0\": has 5 numbers, must have 6"},
                                       {"<ixx>1", "<ixx>", ":3: <ixx> = \"\": has 0 numbers, must have 1"},
                                       {">3<", ">3 N/m<", ":5: <spring_stiffness> = \"3 N/m\": \"N/m\" is no number"}};
  for (const auto& [old, other, words] : complaints) {
    std::string text = whole;
    text.replace(text.find(old), old.size(), other);
    BOOST_TEST(says(complaint(text), words), words);
  }
  std::string text = whole;  // not read
  text.insert(text.find("<link"),
              "<plugin name=\"p\" filename=\"p.so\"><mass>any</mass><link><pose>1</pose></link></plugin>");
  BOOST_CHECK_NO_THROW(imported(text));
}

BOOST_AUTO_TEST_CASE(what_sdformat_has_besides_is_listed_or_refused) {
  const std::string body = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";
  const auto two_links = [&](const std::string& joint) {
    return "<sdf version=\"1.9\">\n<model name=\"m\"><plugin name=\"p\" filename=\"p.so\"/>\n<link name=\"a\">" + body +
           "</link>\n<link name=\"b\">" + body + "<sensor name=\"eye\" type=\"camera\"/></link>\n" + joint +
           "</model></sdf>";
  };
  const auto joint = [](const std::string& type, const std::string& second) {
    return "<joint name=\"j\" type=\"" + type + "\"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>" +
           second + "</joint>";
  };
  const ImportedRobot universal = imported(two_links(joint("universal", "<axis2><xyz>0 1 0</xyz></axis2>")));
  BOOST_TEST(universal.mechanism.system->num_constraints() == 2 + 4);
  BOOST_TEST(says(universal.notes_text(), "<plugin>"));
  BOOST_TEST(says(universal.notes_text(), "<sensor> (sensors are not imported): link \"b\", line 4"));
  BOOST_TEST(imported(two_links(joint("ball", ""))).mechanism.system->num_constraints() == 2 + 3);
  BOOST_TEST(
      says(complaint(two_links(joint("universal", "<axis2><xyz>1 1 0</xyz></axis2>"))), "joint \"j\": axis and axis2"));
  BOOST_TEST(says(complaint(two_links(joint("screw", ""))), ":5: joint \"j\": type screw has no element"));
  BOOST_TEST(says(complaint("<sdf version=\"1.9\"><model name=\"m\"></model></sdf>"), "link"));

  const auto bare = [](const std::string& type, const std::string& rest) {
    return "<joint name=\"j\" type=\"" + type + "\"><parent>a</parent><child>b</child>" + rest + "</joint>";
  };
  for (const char* type : {"revolute", "continuous", "prismatic", "universal", "revolute2"})
    BOOST_TEST(says(complaint(two_links(bare(type, ""))), "joint \"j\": has no <axis>"), type);
  for (const char* type : {"universal", "revolute2"})
    BOOST_TEST(says(complaint(two_links(joint(type, ""))), "joint \"j\": has no <axis2>"), type);
  for (const char* type : {"ball", "fixed"}) BOOST_CHECK_NO_THROW(imported(two_links(bare(type, ""))));

  // forces of joints that no element has
  const auto axis = [](const std::string& name, const std::string& xyz, const std::string& dynamics) {
    return "<" + name + "><xyz>" + xyz + "</xyz><dynamics>" + dynamics + "</dynamics></" + name + ">";
  };
  const std::string damping = "<damping>1</damping>", spring = "<spring_stiffness>2</spring_stiffness>";
  const char* const left_out = "left out: damping and springs of ball and universal joints";
  for (const std::string& force : {damping, spring}) {
    BOOST_TEST(says(imported(two_links(bare("ball", axis("axis", "1 0 0", force)))).notes_text(), left_out));
    const std::string first = axis("axis", "1 0 0", ""), second = axis("axis2", "0 1 0", "");
    const ImportedRobot on_first = imported(two_links(bare("universal", axis("axis", "1 0 0", force) + second)));
    const ImportedRobot on_second = imported(two_links(bare("universal", first + axis("axis2", "0 1 0", force))));
    BOOST_TEST(says(on_first.notes_text(), left_out));
    BOOST_TEST(says(on_second.notes_text(), left_out));
  }
  BOOST_TEST(universal.notes_text().find(left_out) == std::string::npos);
  BOOST_TEST(says(imported(two_links(joint("revolute", axis("axis2", "0 1 0", damping)))).notes_text(),
                  "left out: <axis2> (only universal joints have a second axis): "));

  ImportOptions held;
  held.base = ImportOptions::Base::fixed;
  BOOST_TEST(imported(two_links(joint("revolute", "")), held).mechanism.system->num_positions() == 7);
  BOOST_TEST(imported(two_links(joint("revolute", ""))).mechanism.system->num_positions() == 14);
  BOOST_TEST(says(complaint(two_links("<static>true</static>" + joint("revolute", ""))), "nothing moves"));
}

#endif

// ---- what a third party swallows ---------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(malformed_xml_is_told_with_its_line) {
  const std::string cases[][2] = {
      {"<robot name=\"r\">\n<link name=\"a\">\n</robot>", ":3: no XML: </robot> closes <link> of line 2"},
      {"<robot>\n<link name=\"a\"/>", ":1: no XML: <robot> is not closed"},
      {"<robot>\n<link name=a/></robot>", ":2: no XML: the value of name of <link> is not quoted"},
      {"<robot>\n\n<link name=\"a\" name=\"b\"/></robot>", ":3: no XML: <link> has two attributes name"},
      {"<robot/>\n<robot/>", ":2: no XML: something stands behind </robot>"},
      {"<robot>\n<link name=\"a", ":2: no XML: the value of an attribute has no end"},
      {"<robot>\n<link", ":2: no XML: <link> has no end"},
      {"<robot name=\"r\">\n<link name=\"\xE9\"/></robot>", ":2: no XML: byte 0xE9 is no UTF-8"},
      {"<robot name=\"\xED\xA0\x80\"/>", ":1: no XML: byte 0xED is no UTF-8"},  // half of a pair
      {"<robot name=\"\xC3", ":1: no XML: byte 0xC3 is no UTF-8"},
      {"", ":1: no XML: it has no element"}};
  for (const auto& [text, words] : cases) BOOST_TEST(says(complaint(text), words), words);
  for (const char* format : {"robot", "sdf"}) {  // the readers call themselves for each level
    std::string nested;
    for (int k = 0; k < 40'000; ++k) nested += "<a>";
    BOOST_TEST(says(complaint("<" + std::string(format) + ">" + nested), "nested more than 200 deep"));
  }
}

BOOST_AUTO_TEST_CASE(an_element_is_read_as_it_stands) {
  const internal::XmlElement xml = internal::read_xml(
      "\xEF\xBB\xBF<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a x='1 &lt; 2' y=\"&#65;&quot;\">\n one "
      "<!-- "
      "two --><![CDATA[ <b> & ]]> &amp; <c/><c z=\"\"/>\n</a >\n<!-- end -->",
      "file");
  BOOST_TEST(xml.line == 3);
  BOOST_TEST(*xml.attribute("x") == "1 < 2");
  BOOST_TEST(*xml.attribute("y") == "A\"");
  BOOST_TEST(xml.attribute("z") == nullptr);
  BOOST_TEST(xml.text == "one  <b> &  &");
  BOOST_REQUIRE(xml.children.size() == 2U);
  BOOST_TEST(xml.children[1].line == 4);
  BOOST_TEST(xml.child("c") == &xml.children[0]);
}

#if SUNLAGRANGE_TEST_URDF

BOOST_AUTO_TEST_CASE(attributes_and_repetitions_that_urdf_does_not_have_are_listed) {
  const std::string rod = inertial("0 0 -0.5", "0 0 0", 1.0, 0.1, 0.1, 0.01);
  const std::string text =
      "<robot name=\"r\">\n<link name=\"foot\"/>\n<link name=\"arm\" mass=\"3\">" + rod + rod +
      "</link>\n<joint name=\"j\" type=\"continuous\" enabled=\"false\"><parent link=\"foot\"/><child link=\"arm\"/>"
      "<axis xyz=\"0 1 0\" unit=\"deg\"/></joint>\n<gazebo><joint name=\"loop\" type=\"revolute\"><parent>a</parent>"
      "<child>b</child></joint></gazebo></robot>";
  const std::string notes = imported(text).notes_text();
  BOOST_TEST(says(notes, "left out: mass of <link> (the importer does not know it): link \"arm\", line 3"));
  BOOST_TEST(says(notes, "left out: repeated <inertial> of <link> (only the first one is read): link \"arm\", line 3"));
  BOOST_TEST(says(notes, "left out: enabled of <joint>"));
  BOOST_TEST(says(notes, "left out: unit of <axis>"));
  BOOST_TEST(says(notes, "left out: <joint> inside of <gazebo> (the mechanism lacks this joint"));
  BOOST_TEST(says(notes, "joint \"loop\", line 5"));
  BOOST_TEST(notes.find("<joint> inside") < notes.find("left out: <gazebo>"));  // what alters the motion comes first

  // an error that may follow from a misspelt word names it
  std::string misspelt = text;
  for (int k = 0; k < 2; ++k) misspelt.replace(misspelt.find("<mass value"), 11, "<mass valeu");
  BOOST_TEST(says(complaint(misspelt), "left out: valeu of <mass> (the importer does not know it)"));
}

/// A parallelogram: cranks a and b of 1 m, a coupler c and a link at its end.
std::string parallelogram() {
  const std::string crank = inertial("0 0 -0.5", "0 0 0", 1.0, 0.08, 0.08, 0.01);
  const auto joint = [](const char* name, const char* type, const char* parent, const char* child, const char* at) {
    return std::string("<joint name=\"") + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
           "\"/><child link=\"" + child + "\"/><origin xyz=\"" + at + "\"/><axis xyz=\"0 1 0\"/></joint>";
  };
  return "<robot name=\"p\"><link name=\"base\"/><link name=\"a\">" + crank + "</link><link name=\"b\">" + crank +
         "</link><link name=\"c\">" + inertial("0.5 0 0", "0 0 0", 1.0, 0.01, 0.08, 0.08) +
         "</link><link name=\"ce\"/>" + joint("ja", "continuous", "base", "a", "0 0 0") +
         joint("jb", "continuous", "base", "b", "1 0 0") + joint("jc", "continuous", "a", "c", "0 0 -1") +
         joint("w", "fixed", "c", "ce", "1 0 0") + joint("loop", "continuous", "b", "ce", "0 0 -1") + "</robot>";
}

BOOST_AUTO_TEST_CASE(joints_in_loops_have_the_values_that_are_asked_for) {
  for (const char* asked : {"ja", "jb", "jc"}) {
    const double value = asked == std::string("jc") ? -2.0 : 2.0;  // far from the pose of the file
    ImportOptions options;
    options.positions[asked] = value;
    options.velocities[asked] = 0.5 * value;
    const ImportedRobot robot = imported(parallelogram(), options);
    const auto& system = robot.mechanism.system;
    const ConsistentState start = consistent_state(system, robot.mechanism.start);
    BOOST_TEST(start.report.moved_positions < 1e-9);
    BOOST_TEST(start.report.moved_velocities < 1e-9);
    for (const char* crank : {"a", "b"}) {
      const SpatialPose pose = SpatialPose::of(start.state.q, block(*system, crank));
      BOOST_TEST(std::atan2(pose.rotation()(0, 2), pose.rotation()(2, 2)) == 2.0, boost::test_tools::tolerance(1e-9));
      const Vector3d place{crank == std::string("a") ? 0.0 : 1.0, 0.0, 0.0};
      const Vector3d arm{-0.5 * std::sin(2.0), 0.0, -0.5 * std::cos(2.0)};
      BOOST_TEST((pose.position - place - arm).norm() < 1e-9);
      const Vector3d speed = start.state.v.segment<3>(block(*system, crank));
      BOOST_TEST((speed - Vector3d::UnitY().cross(arm)).norm() < 1e-9);  // turns at 1 rad/s
    }
  }
  ImportOptions contradiction;
  contradiction.positions = {{"ja", 0.4}, {"jb", 0.5}};
  BOOST_TEST(says(complaint(parallelogram(), contradiction),
                  "position of ja = 0.4, position of jb = 0.5: joints that close loops"));
  contradiction.positions = {{"ja", 0.4}, {"jb", 0.4}};
  contradiction.velocities = {{"ja", 1.0}, {"jb", -1.0}};
  BOOST_TEST(says(complaint(parallelogram(), contradiction), "velocity of jb = -1"));
}

#endif

#if SUNLAGRANGE_TEST_SDFORMAT

namespace {

/// A bar of 2 kg on a hinge, 0.5 m above its centre.
std::string bar_on_hinge(const std::string& inertial, const std::string& joint = "",
                         const std::string& version = "1.9") {
  return "<sdf version=\"" + version + "\"><model name=\"p\">\n<link name=\"arm\"><pose>0 0 -0.5 0 0 0</pose>" +
         inertial + "</link>\n<joint name=\"hinge\" type=\"revolute\"" + joint +
         "<parent>world</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>\n</model></sdf>";
}

const char* const own_inertial =
    "<inertial><mass>2</mass><inertia><ixx>0.2</ixx><iyy>0.2</iyy><izz>0.01</izz></inertia></inertial>";
const char* const hinge_pose = "><pose>0 0 0.5 0 0 0</pose>";

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_of_sdformat_is_dropped_in_silence) {
  const std::string units =
      imported(
          bar_on_hinge("<inertial><mass "
                       "unit=\"lb\">2</mass><inertia><ixx>0.2</ixx><iyy>0.2</iyy><izz>0.01</izz></inertia></inertial>",
                       " enabled=\"false\"><pose relativ_to=\"arm\">0 0 0.5 0 0 0</pose>"))
          .notes_text();
  for (const char* words : {"left out: unit of <mass> (the importer does not know it): link \"arm\", line 2",
                            "left out: enabled of <joint>", "left out: relativ_to of <pose>"})
    BOOST_TEST(says(units, words));
  BOOST_TEST(imported(bar_on_hinge(own_inertial, hinge_pose)).notes_text() == "");
  BOOST_TEST(says(imported(bar_on_hinge(own_inertial, hinge_pose, "3.0")).notes_text(),
                  "left out: what version 3.0 of the format adds"));
  BOOST_TEST(
      says(complaint(bar_on_hinge("<inertial auto=\"true\"/>", hinge_pose)), ":2: <inertial> auto = true: masses"));
  BOOST_TEST(says(complaint(bar_on_hinge(own_inertial, hinge_pose).replace(5, 0, "<")), "no XML"));
  BOOST_TEST(says(complaint(bar_on_hinge("<gravity>no</gravity>", hinge_pose)),
                  ":2: <gravity> = \"no\": must be true or false"));
  const std::string world =
      "<sdf version=\"1.9\"><world name=\"w\">\n<joint name=\"tie\" type=\"fixed\"><parent>p</parent><child>q"
      "</child></joint>" +
      bar_on_hinge(own_inertial, hinge_pose).substr(19);
  BOOST_TEST(says(imported(world.substr(0, world.size() - 6) + "</world></sdf>").notes_text(),
                  "left out: <joint> with parent and child (the mechanism lacks this joint"));
}

BOOST_AUTO_TEST_CASE(shapes_of_sdformat_are_drawn_and_meshes_named) {
  const ImportedRobot robot = imported(bar_on_hinge(
      own_inertial +
          std::string("<visual name=\"v\"><pose>0.1 0 0 0 0 0.5</pose><geometry><box><size>1 2 3</size></box>"
                      "</geometry></visual><visual name=\"w\"><geometry><mesh><uri>bar.dae</uri></mesh>"
                      "</geometry></visual>"),
      hinge_pose));
  BOOST_TEST(robot.notes_text() ==
             "not drawn: mesh \"bar.dae\" (the picture has boxes, cylinders and spheres): link \"arm\"\n");
  const Drawing drawing = draw(*robot.mechanism.system, 0.0, robot.mechanism.start.q);
  int boxes = 0;
  for (const Drawing::Shape& shape : drawing.shapes()) {
    if (shape.kind != Drawing::Kind::box) continue;
    ++boxes;
    const auto edge = [&](std::size_t from, std::size_t to) {
      const Drawing::Point &a = shape.points[from], &b = shape.points[to];
      return Vector3d(b.x - a.x, b.y - a.y, b.z - a.z);
    };
    BOOST_TEST((edge(0, 1) - Vector3d(std::cos(0.5), std::sin(0.5), 0.0)).norm() < 1e-9);
    BOOST_TEST((edge(0, 2) - 2.0 * Vector3d(-std::sin(0.5), std::cos(0.5), 0.0)).norm() < 1e-9);
    BOOST_TEST((edge(0, 4) - Vector3d(0.0, 0.0, 3.0)).norm() < 1e-9);
  }
  BOOST_TEST(boxes == 1);
}

BOOST_AUTO_TEST_CASE(defaults_of_the_format_are_taken_and_told) {
  for (const char* none : {"", "<inertial/>", "<inertal><mass>2</mass></inertal>"}) {
    const ImportedRobot robot = imported(bar_on_hinge(none, hinge_pose));
    const std::string notes = robot.notes_text();
    BOOST_TEST(says(notes, "taken: a mass of 1 kg"));
    BOOST_TEST(says(notes, "taken: moments of inertia of 1 kg m^2"));
    BOOST_TEST((notes.find("<inertal>") != std::string::npos) ==
               (none == std::string("<inertal><mass>2</mass></inertal>")));
    const MotionState rest = consistent_state(robot.mechanism.system, robot.mechanism.start).state;
    SystemEvaluator evaluator(robot.mechanism.system);
    BOOST_TEST(evaluator.at(0.0, rest.q).M(0, 0) == 1.0);
  }
}

BOOST_AUTO_TEST_CASE(moments_of_inertia_that_are_missing_are_told) {
  const std::string partial = "<inertial><mass>1</mass><inertia><ixx>1</ixx><izz>1</izz></inertia></inertial>";
  BOOST_TEST(says(imported(bar_on_hinge(partial, hinge_pose)).notes_text(), "taken: iyy = 1 kg m^2"));
}

BOOST_AUTO_TEST_CASE(values_that_sdformat_refuses_or_replaces_are_named) {
  const auto with = [](const std::string& inertial_text) { return complaint(bar_on_hinge(inertial_text, hinge_pose)); };
  const std::string light = with("<inertial><mass>-1</mass></inertial>");
  BOOST_TEST(says(light, ": <inertial> of link \"arm\": mass = -1, ixx = 1 (default)"));
  const std::string long_rod = with("<inertial><mass>1</mass><inertia><ixx>3</ixx></inertia></inertial>");
  BOOST_TEST(says(long_rod, "mass = 1, ixx = 3, iyy = 1 (default), izz = 1 (default)"));
  const std::string turned = complaint(
      "<sdf version=\"1.9\"><model name=\"m\">\n<link name=\"a\"><pose rotation_format=\"quat_xyzw\">0 0 1 0 0 0 "
      "0</pose></link></model></sdf>");
  BOOST_TEST(says(turned, "xml:2: <pose> = \"0 0 1 0 0 0 0\": the quaternion x y z w has length 0"));
  for (const char* const version : {"abc", "1", "1.x", "1.9 ", "1.-9", ""}) {
    const std::string text = "<sdf version=\"" + std::string(version) + "\"><model name=\"m\"/></sdf>";
    BOOST_TEST(says(complaint(text), "xml:1: <sdf> version = \""), version);
  }
}

BOOST_AUTO_TEST_CASE(words_of_older_versions_are_read_without_a_warning) {
  const auto robot = [](const std::string& version, const std::string& frame, const std::string& axis) {
    const std::string inertia =
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";
    return imported("<sdf version=\"" + version + "\"><model name=\"m\"><link name=\"a\"><pose>0 0 3 0 0 0</pose>" +
                    inertia + "</link><link name=\"b\"><pose" + frame + ">0 0 1 0 0 1.5707963267948966</pose>" +
                    inertia +
                    "</link><joint name=\"f\" type=\"fixed\"><parent>world</parent><child>a</child></joint>"
                    "<joint name=\"j\" type=\"revolute\"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>" +
                    axis + "</axis></joint></model></sdf>");
  };
  const std::string older = "<use_parent_model_frame>true</use_parent_model_frame>";
  const ImportedRobot old = robot("1.6", " frame=\"a\"", older);
  BOOST_TEST(old.notes_text().find("left out") == std::string::npos, old.notes_text());
  BOOST_TEST(std::abs(old.mechanism.start.q[2] - 4.0) < 1e-14);
  const std::string notes = robot("1.9", "", older).notes_text();  // the library does not read it there
  BOOST_TEST(says(notes, "left out: <use_parent_model_frame>"));
}

BOOST_AUTO_TEST_CASE(a_thin_rod_turns_where_its_hinge_holds_the_axis_without_inertia) {
  const ImportedRobot robot = imported(
      "<sdf version=\"1.9\"><model name=\"p\"><link name=\"rod\"><pose>1 0 0 0 0 "
      "0</pose><inertial><mass>1</mass><inertia>"
      "<ixx>0</ixx><iyy>0.3</iyy><izz>0.3</izz></inertia></inertial></link><joint name=\"hinge\" "
      "type=\"revolute\"><pose>-1 0 "
      "0 0 0 0</pose><parent>world</parent><child>rod</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>");
  const Simulation run = simulate(robot.mechanism.system, robot.mechanism.start, precise(1.0));
  BOOST_REQUIRE(run.status.finished());
  // (J + m l^2) phi'' = m g l cos(phi), by its energy at the end
  const Eigen::VectorXd q = run.trajectory.position_at(1.0), v = run.trajectory.velocity_at(1.0);
  const double fallen = -q[2], speed = v.segment<3>(0).norm();  // the centre is 1 m from the hinge
  BOOST_TEST(0.5 * (0.3 + 1.0) * speed * speed == 9.81 * fallen, boost::test_tools::tolerance(1e-7));
}

BOOST_AUTO_TEST_CASE(every_file_name_works_and_no_file_includes_itself) {
  for (const char* name :
       {"model.sdf", "world.sdf", "link.sdf", "joint.sdf"}) {  // libsdformat has files of these names
    std::ofstream(name) << bar_on_hinge(own_inertial, hinge_pose);
    BOOST_TEST(import_robot(name).mechanism.system->num_positions() == 7);
    std::remove(name);
  }
  const std::string self = "import_robot_test.xml", other = "import_robot_other.sdf";
  const auto including = [](const std::string& file) {
    return "<sdf version=\"1.7\"><model name=\"m\">\n<include><uri>" + file +
           "</uri></include><link name=\"a\"/></model></sdf>";
  };
  BOOST_TEST(says(complaint(including(self)), ":2: <include>: \"import_robot_test.xml\" includes itself"));
  std::ofstream(other) << including(self);
  BOOST_TEST(says(complaint(including(other)), "includes itself"));
  std::ofstream(other) << bar_on_hinge("<inertial><mass unit=\"lb\">2</mass></inertial>", hinge_pose);
  BOOST_TEST(
      says(imported(including(other)).notes_text(), "link \"arm\", " + std::string("import_robot_other.sdf, line 2")));
  std::remove(other.c_str());
}

BOOST_AUTO_TEST_CASE(a_slide_between_moving_links_in_a_loop_has_the_travel_that_is_asked_for) {
  // a crank of 1 m about the origin, and a cylinder from (2, 0) to its end: a triangle with a side that changes
  const std::string tie =
      "<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>";
  const std::string text =
      "<sdf version=\"1.9\"><model name=\"t\"><link name=\"crank\">" + tie +
      "</link><link name=\"barrel\"><pose>2 0 0 0 0 0</pose>" + tie +
      "</link><link name=\"rod\"><pose>1 0 0 0 0 0</pose>" + tie + "</link>" +
      pin("foot", "world", "crank", "0 0 0 0 0 0") + pin("eye", "world", "barrel", "0 0 0 0 0 0") +
      "<joint name=\"stroke\" type=\"prismatic\"><parent>barrel</parent><child>rod</child><axis><xyz>-1 0 "
      "0</xyz></axis></joint>" +
      pin("head", "crank", "rod", "0 0 0 0 0 0") + "</model></sdf>";
  ImportOptions options;
  options.positions["foot"] = 0.2;  // leaves the stretched pose
  const ImportedRobot bent = imported(text, options);
  const double side = (Eigen::Vector2d(std::cos(0.2), std::sin(0.2)) - Eigen::Vector2d(2.0, 0.0)).norm();
  const Eigen::VectorXd q = bent.mechanism.start.q;
  BOOST_TEST((q.segment<3>(14) - q.segment<3>(7)).norm() == side, boost::test_tools::tolerance(1e-9));
  options.velocities["stroke"] = 0.3;
  const ImportedRobot driven = imported(text, options);
  const Eigen::VectorXd v = driven.mechanism.start.v;
  const Vector3d along = (q.segment<3>(14) - q.segment<3>(7)).normalized();
  BOOST_TEST(along.dot(Vector3d(v.segment<3>(14) - v.segment<3>(7))) == 0.3, boost::test_tools::tolerance(1e-8));
}

#endif

BOOST_AUTO_TEST_CASE(formats_of_this_build_are_named) {
  const std::vector<std::string> formats = import_formats();
  BOOST_TEST(formats.size() == static_cast<std::size_t>(SUNLAGRANGE_TEST_URDF + SUNLAGRANGE_TEST_SDFORMAT));
}
