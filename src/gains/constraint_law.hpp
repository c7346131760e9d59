// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <complex>
#include <vector>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/gains/gains.hpp>

namespace sunlagrange::internal {

/// Returns the characteristic roots mu of g'' + K_D g' + K_P g = 0 and psi' + K_N psi = 0 [1/s]; equal neighbours of
/// diagonal gains are listed once.
std::vector<std::complex<double>> law_roots(const GainMatrix& K_D, const GainMatrix& K_P, const GainMatrix& K_N);

/// Returns the largest |z| up to which |R(z)| <= 1 in the direction of mu, with R the stability function of the method
/// [002, Theorems 2 to 5], by bisection. Infinite for mu = 0.
double stable_reach(const ButcherTable& table, std::complex<double> mu);

}  // namespace sunlagrange::internal
