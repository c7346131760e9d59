#define BOOST_TEST_MODULE sunlagrange
#include <boost/test/unit_test.hpp>
