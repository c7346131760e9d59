// SPDX-License-Identifier: BSD-3-Clause
#include "files/variants.hpp"

namespace sunlagrange::internal {

void add_spatial(Codecs& list) {
  add_domain<'s'>(list);
}

}  // namespace sunlagrange::internal
