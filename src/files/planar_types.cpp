// SPDX-License-Identifier: BSD-3-Clause
#include "files/variants.hpp"

namespace sunlagrange::internal {

void add_planar(Codecs& list) {
  add_domain<'p'>(list);
}

}  // namespace sunlagrange::internal
