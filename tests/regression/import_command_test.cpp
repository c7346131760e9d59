// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <sunlagrange/import/import_robot.hpp>

#include "programs.hpp"

/// sunlagrange import: a robot description becomes a file that `run` takes.
using namespace sunlagrange::test;

#if SUNLAGRANGE_TEST_URDF

namespace {

const char* const pendulum =
    "<robot name=\"pendulum\"><link name=\"foot\"/><link name=\"rod\"><inertial><origin xyz=\"0 0 -0.5\"/><mass "
    "value=\"2\"/>"
    "<inertia ixx=\"0.2\" ixy=\"0\" ixz=\"0\" iyy=\"0.2\" iyz=\"0\" izz=\"0.01\"/></inertial><visual><geometry><mesh "
    "filename=\"rod.stl\"/></geometry></visual></link><joint "
    "name=\"hinge\" type=\"continuous\"><parent link=\"foot\"/><child link=\"rod\"/><axis xyz=\"0 1 "
    "0\"/></joint></robot>";

}  // namespace

BOOST_AUTO_TEST_CASE(an_imported_pendulum_runs) {
  std::ofstream("pendulum.urdf") << pendulum;
  std::remove("pendulum.json");
  BOOST_TEST(
      call("import pendulum.urdf --position hinge=0.5 --gravity 0 0 -1.62 -o pendulum.json", "notes.txt").exit_code ==
      0);
  BOOST_TEST(contents("notes.txt").find("not drawn: mesh \"rod.stl\"") != std::string::npos);
  const auto document = nlohmann::json::parse(contents("pendulum.json"));
  BOOST_TEST(document["elements"][1]["parameters"]["gz"] == -1.62);
  BOOST_TEST(call("import pendulum.urdf --position hinge=0.5 --gravity 0 0 -1.62").out == contents("pendulum.json"));
  BOOST_TEST(call("run pendulum.json --t-end 1").exit_code == 0);

  BOOST_TEST(call("import pendulum.urdf --position hinge").exit_code == 2);
  BOOST_TEST(call("import pendulum.urdf --gravity 0 1").exit_code == 2);
  BOOST_TEST(call("import pendulum.urdf --base sinking").exit_code == 2);
  BOOST_TEST(call("import absent.urdf").exit_code == 2);
}

#endif

BOOST_AUTO_TEST_CASE(the_formats_of_this_build_stand_in_the_help) {
  const std::string help = call("import --help").out;
  for (const std::string& format : sunlagrange::import_formats()) BOOST_TEST(help.find(format) != std::string::npos);
}
