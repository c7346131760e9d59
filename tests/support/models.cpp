// SPDX-License-Identifier: BSD-3-Clause
#include "models.hpp"

namespace sunlagrange {

template struct internal::ElementType<test::Pendulum>;
template struct internal::ElementType<test::Everything>;
template struct internal::ElementType<test::EverythingDouble>;
template struct internal::ElementType<test::RedundantPendulum>;
template struct internal::ElementType<test::Link>;

}  // namespace sunlagrange
