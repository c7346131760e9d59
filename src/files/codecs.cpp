// SPDX-License-Identifier: BSD-3-Clause
#include "files/codecs.hpp"

namespace sunlagrange::internal {

const Codecs& codecs() {
  static const Codecs all = [] {
    Codecs list;
    add_planar(list);
    add_spatial(list);
    add_coordinate(list);
    add_network(list);
    return list;
  }();
  return all;
}

}  // namespace sunlagrange::internal
