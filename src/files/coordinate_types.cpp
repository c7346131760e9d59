// SPDX-License-Identifier: BSD-3-Clause
#include "files/variants.hpp"

namespace sunlagrange::internal {

void add_coordinate(Codecs& list) {
  add_domain<'c'>(list);
}

}  // namespace sunlagrange::internal
