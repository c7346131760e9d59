#pragma once

// What nearly every test includes, compiled once. Tests still include what they use.
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/stability.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"

#define DECOMPOSITION(type) extern template class Eigen::type<Eigen::MatrixXd>;
#include "decompositions.inc"
#undef DECOMPOSITION
