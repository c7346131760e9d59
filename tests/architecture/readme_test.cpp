#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

std::string contents(const std::string& file) {
  std::ifstream in(std::string(SUNLAGRANGE_SOURCE_DIR) + "/" + file);
  BOOST_REQUIRE_MESSAGE(in, file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(first_code_block_is_the_pendulum_example) {
  const std::string readme = contents("README.md"), opening = "```cpp\n";
  const std::size_t begin = readme.find(opening);
  BOOST_REQUIRE(begin != std::string::npos);
  const std::size_t first = begin + opening.size(), end = readme.find("```", first);
  BOOST_REQUIRE(end != std::string::npos);
  BOOST_TEST(readme.substr(first, end - first) == contents("examples/pendulum.cpp"));
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
