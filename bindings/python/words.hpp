// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace sunlagrange::python {

/// Returns a message of the library with the names of C++ replaced by what users of Python write. Its words have no
/// double quotes, so that the message may stand in a JSON document.
std::string in_python(std::string message);

}  // namespace sunlagrange::python
