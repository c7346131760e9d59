#include <boost/test/unit_test.hpp>

#include <cmath>
#include <filesystem>

#include "bench_program.hpp"

/// The pages that sunlagrange-bench writes: their numbers are those of the documents. How they look in a browser:
/// scripts/check_report.sh.
using namespace sunlagrange::test;
using Json = nlohmann::json;

namespace {

Json data_of(const std::string& file) {
  const std::string html = contents(file), mark = "id=\"data\">";
  const std::size_t begin = html.find(mark);
  BOOST_REQUIRE_MESSAGE(begin != std::string::npos, file);
  const std::size_t end = html.find("</script>", begin);
  return Json::parse(html.substr(begin + mark.size(), end - begin - mark.size()));
}

/// Seven digits are printed.
void check_same(const Json& shown, const Json& exact) {
  if (exact.is_null()) {
    BOOST_TEST(shown.is_null());
    return;
  }
  const double x = exact.get<double>();
  BOOST_TEST(std::abs(shown.get<double>() - x) <= 1e-6 * std::abs(x));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_of_a_run_says_what_its_document_says) {
  const std::string file = "pages_test_pendulum.html";
  const Json run = record(bench("run pendulum --rtol 1e-8 --json --html " + file));
  const Json page = data_of(file);
  BOOST_TEST(page["outcome"] == run["status"]);
  BOOST_TEST(page["formulation"] == run["formulation"]);
  BOOST_TEST(page["integrator"] == run["integrator"]);
  for (const auto& [shown, exact] : {std::pair{"steps", "steps"},
                                     {"rhs", "rhs_evaluations"},
                                     {"t_reached", "t_reached"},
                                     {"max_position_violation", "max_position_violation"},
                                     {"energy_drift", "energy_drift"}})
    check_same(page["figures"][shown], run[exact]);
  const Json& curves = page["curves"];
  BOOST_TEST(curves["coordinates"].size() == 2u);
  for (int i = 0; i < 2; ++i) {
    check_same(curves["coordinates"][i]["y"].back(), run["q_end"][i]);
    check_same(curves["velocities"][i]["y"].back(), run["v_end"][i]);
  }
  check_same(curves["multipliers"][0]["y"].back(), run["lambda_end"][0]);
  double violation = 0.0;
  for (const Json& g : curves["violations"][0]["y"]) violation = std::max(violation, g.get<double>());
  BOOST_TEST(violation <= 1.001 * run["max_position_violation"].get<double>());
  BOOST_TEST(curves["steps"]["t"].size() == curves["steps"]["order"].size());
  // the rod of the picture has its length at all times
  const Json& scene = page["scene"];
  BOOST_TEST(scene["planar"].get<bool>());
  std::size_t place = 0, rod = std::string::npos;
  for (const Json& shape : scene["shapes"]) {
    if (shape["kind"] == "rod") rod = place;
    place += 2 * shape["points"].get<std::size_t>();
  }
  BOOST_REQUIRE(rod != std::string::npos);
  BOOST_TEST(scene["frames"].size() == scene["t"].size());
  for (const Json& frame : scene["frames"]) {
    BOOST_REQUIRE_EQUAL(frame.size(), place);
    const auto x = [&](std::size_t k) { return frame[rod + k].get<double>(); };
    BOOST_TEST(std::abs(std::hypot(x(2) - x(0), x(3) - x(1)) - 1.0) < 1e-5);
  }
  std::filesystem::remove(file);
}

// Six hinges, five rods with Euler parameters: ten forces, equal and opposite in each joint.
BOOST_AUTO_TEST_CASE(joint_forces_act_on_both_bodies_alike) {
  const std::string file = "pages_test_bricard.html";
  BOOST_TEST(bench("run bricard --t-end 1 --formulation projected --html " + file).exit_code == 0);
  const Json page = data_of(file);
  BOOST_TEST(!page["scene"]["planar"].get<bool>());
  const Json& joints = page["joints"];
  BOOST_REQUIRE_EQUAL(joints["list"].size(), 10u);
  double largest = 0.0;
  for (std::size_t i = 0; i + 1 < joints["list"].size(); ++i) {
    const Json &a = joints["list"][i], &b = joints["list"][i + 1];
    BOOST_TEST(a["about"] == "the joint");
    if (a["joint"] != b["joint"]) continue;
    for (const char* component : {"Fx", "Fy", "Fz", "Mx", "My", "Mz"}) {
      for (std::size_t k = 0; k < joints["t"].size(); ++k) {
        const double one = a[component][k].get<double>(), other = b[component][k].get<double>();
        largest = std::max(largest, std::abs(one));
        BOOST_TEST(std::abs(one + other) < 1e-5 * (1.0 + std::abs(one)));
      }
    }
  }
  BOOST_TEST(largest > 1.0);
  std::filesystem::remove(file);
}

BOOST_AUTO_TEST_CASE(pages_that_cannot_be_written_are_refused_before_the_run) {
  check_refused("run pendulum --html /nowhere/at/all.html", "--html", "pages_test");
}

BOOST_AUTO_TEST_CASE(a_report_without_a_folder_is_refused) {
  check_refused("report --out /proc/nowhere", "/proc/nowhere", "pages_test");
}
