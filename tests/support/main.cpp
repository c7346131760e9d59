// SPDX-License-Identifier: BSD-3-Clause
#define BOOST_TEST_MODULE sunlagrange
#include <boost/test/unit_test.hpp>
