#include "files/variants.hpp"

namespace sunlagrange::internal {

void add_coordinate(Codecs& list) {
  add_domain<'c'>(list);
}

}  // namespace sunlagrange::internal
