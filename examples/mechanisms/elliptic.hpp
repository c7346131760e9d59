#pragma once

/// Elliptic functions for exact solutions, in long double so that phases stay good to 1e-15 over thousands of periods.
namespace sunlagrange::mechanisms {

/// Jacobi's amplitude am(u | m), the inverse of u = integral of (1 - m sin^2 x)^(-1/2) from 0 to the amplitude:
/// sn = sin am, cn = cos am. Any real u, 0 <= m < 1. By the arithmetic-geometric mean and descending Landen steps.
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 16.4.
long double jacobi_amplitude(long double u, long double m);

/// Complete elliptic integral of the first kind, K(m) = quarter period of sn; 0 <= m < 1. Source: the same, 17.6.
long double complete_elliptic_integral(long double m);

}  // namespace sunlagrange::mechanisms
