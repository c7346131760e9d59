// SPDX-License-Identifier: BSD-3-Clause
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <string>

#include <sunlagrange/elements.hpp>
#include <sunlagrange/model/assembly.hpp>
#include <sunlagrange/simulation/catalogue.hpp>

namespace {

using namespace sunlagrange;

// The examples of docs/elements. Templates that nobody calls: types and members are checked where they are defined.
#include "element_pages.inc"

}  // namespace

BOOST_AUTO_TEST_CASE(every_element_has_an_example) {
  std::ifstream in(std::string(SUNLAGRANGE_SOURCE_DIR) + "/tests/unit/elements/element_pages.inc");
  std::size_t examples = 0;
  for (std::string line; std::getline(in, line);) examples += line.rfind("void example_", 0) == 0 ? 1U : 0U;
  BOOST_TEST(examples == elements().size());
}
