// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// RADAU5 of Hairer and Wanner, Fortran 77 [HairerWanner1996, IV.8], as its library exports it. It solves M y' = f(t,
/// y) with a constant M from x to xend and calls the functions below; every argument is passed by its address, matrices
/// stand column by column, names end in an underscore. Bandwidths (lower, upper; the number of rows: full) are
/// overwritten.
///
/// Arrays of settings (0: its own default) that are used here:
///     iwork[4], [5], [6]   numbers of unknowns of index 1, 2, 3, which stand in this order in y
///     iwork[8], [9]        m1, m2: y_i' = y_(i + m2) for i < m1, so that systems of size n - m1 are factorised. The
///                          functions of M and of the Jacobian then give the rows behind the first m1 alone.
/// and of counts: iwork[13] evaluations of f without those for differences, [14] Jacobians, [15] steps tried,
/// [16] accepted, [17] rejected, [18] factorisations, [19] iterations; the last two count a real and a complex system
/// as one.
extern "C" {

using Radau5Function = void(const int* n, const double* x, const double* y, double* f, double* rpar, int* ipar);
using Radau5Jacobian = void(const int* n, const double* x, const double* y, double* rows, const int* leading,
                            double* rpar, int* ipar);
using Radau5Mass = void(const int* n, double* diagonal, const int* leading, double* rpar, int* ipar);
using Radau5Output = void(const int* step, const double* before, const double* x, const double* y, const double* dense,
                          const int* size, const int* n, double* rpar, int* ipar, int* stop);

void radau5_(const int* n, Radau5Function* f, double* x, double* y, const double* xend, double* h, double* rtol,
             double* atol, const int* vectors, Radau5Jacobian* jacobian, const int* has_jacobian, int* jacobian_lower,
             int* jacobian_upper, Radau5Mass* mass, const int* has_mass, int* mass_lower, int* mass_upper,
             Radau5Output* output, const int* has_output, double* work, const int* work_size, int* iwork,
             const int* iwork_size, double* rpar, int* ipar, int* result);
}
