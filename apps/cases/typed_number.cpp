// SPDX-License-Identifier: BSD-3-Clause
#include "cases/typed_number.hpp"

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/files/mechanism_file.hpp>

namespace sunlagrange::program {

double typed_number(const std::string& typed, const std::string& option, const std::string& unit) {
  try {
    return number_with_unit(typed, unit);
  } catch (const Error& error) {
    throw Error(option + ": " + error.what());
  }
}

}  // namespace sunlagrange::program
