#define BOOST_TEST_MODULE readme
#include <boost/test/unit_test.hpp>

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
