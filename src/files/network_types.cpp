// SPDX-License-Identifier: BSD-3-Clause
#include "files/variants.hpp"

namespace sunlagrange::internal {

void add_network(Codecs& list) {
  add_domain<'n'>(list);
}

}  // namespace sunlagrange::internal
