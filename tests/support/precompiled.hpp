// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What nearly every test includes, compiled once. Tests still include what they use.
#include <boost/test/unit_test.hpp>

#include <Eigen/Dense>

#include <sunlagrange/stability.hpp>
#include <sunlagrange/sunlagrange.hpp>

#include "mechanisms/mechanism.hpp"

namespace sunlagrange::test::kernels {  // words of compiled_once.inc

using Traits = Eigen::internal::gebp_traits<double, double>;
using ByColumns = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>;
using ByRows = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::RowMajor>;
using Written = Eigen::internal::blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>;
using LhsPacket = Traits::LhsPacket4Packing;
constexpr int lhs_rows = Traits::mr, lhs_progress = Traits::LhsProgress, rhs_columns = Traits::nr;

}  // namespace sunlagrange::test::kernels

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-attributes"
namespace Eigen {
using namespace sunlagrange::test::kernels;
#define COMPILED_ONCE(...) extern template __VA_ARGS__;
#include "compiled_once.inc"
#undef COMPILED_ONCE
}  // namespace Eigen
#pragma GCC diagnostic pop
