#pragma once

#include <complex>
#include <vector>

#include <sunlagrange/base/butcher_table.hpp>
#include <sunlagrange/gains/gains.hpp>

namespace sunlagrange::internal {

/// Characteristic roots mu of g'' + K_D g' + K_P g = 0 and psi' + K_N psi = 0 [1/s]; equal neighbours of diagonal gains
/// are listed once.
std::vector<std::complex<double>> law_roots(const GainMatrix& K_D, const GainMatrix& K_P, const GainMatrix& K_N);

/// Largest |z| up to which |R(z)| <= 1 in the direction of mu, R the method's own stability function [002, Theorems 2
/// to 5]; infinite for mu = 0. Found by evaluation and bisection.
double stable_reach(const ButcherTable& table, std::complex<double> mu);

}  // namespace sunlagrange::internal
