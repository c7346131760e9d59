#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/sunlagrange.hpp>

namespace {

std::string contents(const std::string& file) {
  std::ifstream in(std::string(SUNLAGRANGE_SOURCE_DIR) + "/" + file);
  BOOST_REQUIRE_MESSAGE(in, file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Between the first `opening` from `position` on and the next `closing`; `position` moves behind it.
std::string between(const std::string& text, const std::string& opening, const std::string& closing,
                    std::size_t& position) {
  const std::size_t begin = text.find(opening, position);
  BOOST_REQUIRE(begin != std::string::npos);
  const std::size_t first = begin + opening.size(), end = text.find(closing, first);
  BOOST_REQUIRE(end != std::string::npos);
  position = end + closing.size();
  return text.substr(first, end - first);
}

}  // namespace

BOOST_AUTO_TEST_CASE(first_code_block_is_the_pendulum_example) {
  std::size_t position = 0;
  BOOST_TEST(between(contents("README.md"), "```cpp\n", "```", position) == contents("examples/pendulum.cpp"));
}

BOOST_AUTO_TEST_CASE(second_code_block_is_compiled_here) {
  using namespace sunlagrange;
  // README
  Assembly assembly;
  const Block arm = assembly.add_coordinates("arm", BlockKind::planar_body);
  assembly.add("inertia", PlanarRigidBody{2.0, 0.1}, {arm});
  assembly.add("weight", UniformGravity{2.0}, {centre_of(arm)});
  assembly.add("pin", RevoluteToGround{-0.5, 0.0}, {arm});
  assembly.add("spring", LinearSpring{200.0, 0.4, OnBody{0.5, 0.0}, OnGround{0.0, 1.0}}, {arm});
  // README
  SimulationOptions options;
  options.t_end = 0.5;
  options.formulation = "projected";
  options.rtol = options.atol = 1e-9;
  const Simulation run = simulate(assembly.build(), {0.0, Eigen::Vector3d(0.5, 0.0, 0.0), {}}, options);
  BOOST_TEST(run.status.beyond_doubt(), run.status.message);
  BOOST_TEST(run.report.energy_drift < 1e-3);

  std::size_t position = 0;
  const std::string readme = contents("README.md"), here = contents("tests/architecture/readme_test.cpp");
  between(readme, "```cpp\n", "```", position);
  std::string block = between(readme, "```cpp\n", "```", position);
  const std::string include = block.substr(0, block.find('>') + 1);
  BOOST_TEST(here.find("\n" + include + "\n") != std::string::npos, include);
  block = block.substr(block.find("\n\n") + 2);
  std::istringstream lines(block);
  std::string indented;
  for (std::string line; std::getline(lines, line);) indented += "  " + line + "\n";
  position = 0;
  BOOST_TEST(indented == between(here, "  // README\n", "  // README\n", position));
}

// The gallery names every program, in links that lead somewhere. (Its table of mechanisms: architecture/tables.)
BOOST_AUTO_TEST_CASE(gallery_is_complete) {
  namespace fs = std::filesystem;
  const std::string gallery = contents("examples/README.md");
  const fs::path examples = fs::path(SUNLAGRANGE_SOURCE_DIR) / "examples";
  for (const auto& entry : fs::directory_iterator(examples)) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string file = entry.path().filename().string();
    BOOST_TEST((gallery.find("(" + file + ")") != std::string::npos), file);
  }
  std::size_t links = 0;
  for (std::size_t at = gallery.find("]("); at != std::string::npos; at = gallery.find("](", at + 1), ++links) {
    const std::string target = gallery.substr(at + 2, gallery.find(')', at) - at - 2);
    BOOST_TEST(fs::exists(examples / target), target);
  }
  BOOST_TEST(links > 20u);
}
