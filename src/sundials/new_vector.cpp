// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <new>
#include <string>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>

#include <sunlagrange/base/status.hpp>
#include <sunlagrange/sundials/new_vector.hpp>

namespace sunlagrange {
namespace {

using Index = sunindextype;

Index length(N_Vector v) {
  return NV_LENGTH_S(v);
}
double* entries(N_Vector v) {
  return NV_DATA_S(v);
}

// ---- loops, in blocks that compilers vectorise without knowing whether vectors overlap ----

/// out_k = entry(x_k, ...). A block is read before it is written, so that out may be one of the x.
template <class Entry, class... Pointer>
void fill_from(Index n, double* out, Entry entry, Pointer... x) {
  constexpr int block = 4;
  for (; n >= block; n -= block) {
    double value[block];
    for (int k = 0; k < block; ++k) value[k] = entry(x[k]...);
    for (int k = 0; k < block; ++k) out[k] = value[k];
    out += block;
    ((x += block), ...);
  }
  for (Index k = 0; k < n; ++k) out[k] = entry(x[k]...);
}

template <class Entry, class... Vector>
void fill(N_Vector z, Entry entry, Vector... x) {
  fill_from(length(z), entries(z), entry, entries(x)...);
}

/// Combines all entry(x_k, ...): in eight lanes, then the lanes in pairs, then the remaining entries one by one.
template <class Combine, class Entry, class... Pointer>
double reduce_from(Index n, double start, Combine combine, Entry entry, Pointer... x) {
  constexpr int lanes = 8;
  double total = start;
  if (n >= lanes) {
    double lane[lanes];
    for (int k = 0; k < lanes; ++k) lane[k] = combine(start, entry(x[k]...));
    for (n -= lanes, ((x += lanes), ...); n >= lanes; n -= lanes, ((x += lanes), ...)) {
      for (int k = 0; k < lanes; ++k) lane[k] = combine(lane[k], entry(x[k]...));
    }
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) lane[k] = combine(lane[k], lane[k + half]);
    }
    total = lane[0];
  }
  for (Index k = 0; k < n; ++k) total = combine(total, entry(x[k]...));
  return total;
}

template <class Combine, class Entry, class... Vector>
double reduce(double start, Combine combine, Entry entry, N_Vector x, Vector... others) {
  return reduce_from(length(x), start, combine, entry, entries(x), entries(others)...);
}

template <class Entry, class... Vector>
double sum(Entry entry, Vector... x) {
  return reduce(
      0.0, [](double a, double b) { return a + b; }, entry, x...);
}

// ---- entry by entry ----

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  fill(
      z, [=](double xk, double yk) { return a * xk + b * yk; }, x, y);
}
void constant(double c, N_Vector z) {
  fill(z, [=]() { return c; });
}
void product(N_Vector x, N_Vector y, N_Vector z) {
  fill(
      z, [](double xk, double yk) { return xk * yk; }, x, y);
}
void quotient(N_Vector x, N_Vector y, N_Vector z) {
  fill(
      z, [](double xk, double yk) { return xk / yk; }, x, y);
}
void scale(double c, N_Vector x, N_Vector z) {
  fill(
      z, [=](double xk) { return c * xk; }, x);
}
void absolute(N_Vector x, N_Vector z) {
  fill(
      z, [](double xk) { return std::fabs(xk); }, x);
}
void inverse(N_Vector x, N_Vector z) {
  fill(
      z, [](double xk) { return 1.0 / xk; }, x);
}
void add_constant(N_Vector x, double b, N_Vector z) {
  fill(
      z, [=](double xk) { return xk + b; }, x);
}

// ---- to one number ----

double dot(N_Vector x, N_Vector y) {
  return sum([](double xk, double yk) { return xk * yk; }, x, y);
}
double weighted_squares(N_Vector x, N_Vector w) {
  return sum([](double xk, double wk) { return (xk * wk) * (xk * wk); }, x, w);
}
double weighted_squares_masked(N_Vector x, N_Vector w, N_Vector id) {
  return sum([](double xk, double wk, double ik) { return ik > 0.0 ? (xk * wk) * (xk * wk) : 0.0; }, x, w, id);
}
double wrms_norm(N_Vector x, N_Vector w) {
  return std::sqrt(weighted_squares(x, w) / static_cast<double>(length(x)));
}
double wrms_norm_masked(N_Vector x, N_Vector w, N_Vector id) {
  return std::sqrt(weighted_squares_masked(x, w, id) / static_cast<double>(length(x)));
}
double wl2_norm(N_Vector x, N_Vector w) {
  return std::sqrt(weighted_squares(x, w));
}
double l1_norm(N_Vector x) {
  return sum([](double xk) { return std::fabs(xk); }, x);
}

/// As the serial vector's: NaN does not count, but as the first entry for the minimum.
double max_norm(N_Vector x) {
  return reduce(
      0.0, [](double a, double b) { return b > a ? b : a; }, [](double xk) { return std::fabs(xk); }, x);
}
double minimum(N_Vector x) {
  return reduce(
      length(x) > 0 ? *entries(x) : SUN_BIG_REAL, [](double a, double b) { return b < a ? b : a; },
      [](double xk) { return xk; }, x);
}

// ---- several vectors ----

constexpr int no_vectors = -1;  // flag of the serial vector for less than one vector

/// z = sum of c_j X_j, two terms in a pass; z may be X_0.
int linear_combination(int count, double* c, N_Vector* X, N_Vector z) {
  if (count < 1) return no_vectors;
  if (count == 1) {
    scale(c[0], X[0], z);
    return 0;
  }
  linear_sum(c[0], X[0], c[1], X[1], z);
  for (int j = 2; j + 1 < count; j += 2) {
    const double a = c[j], b = c[j + 1];
    fill(
        z, [=](double zk, double xk, double yk) { return zk + a * xk + b * yk; }, z, X[j], X[j + 1]);
  }
  if (count % 2 == 1) linear_sum(c[count - 1], X[count - 1], 1.0, z, z);
  return 0;
}

/// Z_j = a_j x + Y_j.
int scale_add_multi(int count, double* a, N_Vector x, N_Vector* Y, N_Vector* Z) {
  if (count < 1) return no_vectors;
  for (int j = 0; j < count; ++j) linear_sum(a[j], x, 1.0, Y[j], Z[j]);
  return 0;
}

int dot_multi(int count, N_Vector x, N_Vector* Y, double* products) {
  if (count < 1) return no_vectors;
  for (int j = 0; j < count; ++j) products[j] = dot(x, Y[j]);
  return 0;
}

// ---- into the table ----

#if defined(__x86_64__) && defined(__GNUC__)
/// The same operation, compiled for wider registers; without fused multiplication, so that the digits are the same.
template <auto operation, class = decltype(operation)>
struct Wide;
template <auto operation, class Result, class... Argument>
struct Wide<operation, Result (*)(Argument...)> {
  __attribute__((target("avx2"), flatten)) static Result call(Argument... argument) { return operation(argument...); }
};
#endif

template <auto operation>
auto compiled() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) return &Wide<operation>::call;
#endif
  return operation;
}

}  // namespace

N_Vector new_vector(long size, SUNContext context) {
  if (context == nullptr) throw Error("context is null; make one with SUNContext_Create");
  if (size < 0) throw Error("size = " + std::to_string(size) + ", must not be negative");
  if (size > std::numeric_limits<Index>::max())
    throw Error("size = " + std::to_string(size) + ", but SUNDIALS was built with indices up to " +
                std::to_string(std::numeric_limits<Index>::max()));
  const N_Vector v = N_VNew_Serial(static_cast<Index>(size), context);
  if (v == nullptr) throw std::bad_alloc();
  auto& ops = *v->ops;  // clones copy them

  ops.nvlinearsum = compiled<linear_sum>();
  ops.nvconst = compiled<constant>();
  ops.nvprod = compiled<product>();
  ops.nvdiv = compiled<quotient>();
  ops.nvscale = compiled<scale>();
  ops.nvabs = compiled<absolute>();
  ops.nvinv = compiled<inverse>();
  ops.nvaddconst = compiled<add_constant>();

  ops.nvdotprod = ops.nvdotprodlocal = compiled<dot>();
  ops.nvmaxnorm = ops.nvmaxnormlocal = compiled<max_norm>();
  ops.nvmin = ops.nvminlocal = compiled<minimum>();
  ops.nvl1norm = ops.nvl1normlocal = compiled<l1_norm>();
  ops.nvwrmsnorm = compiled<wrms_norm>();
  ops.nvwrmsnormmask = compiled<wrms_norm_masked>();
  ops.nvwl2norm = compiled<wl2_norm>();
  ops.nvwsqrsumlocal = compiled<weighted_squares>();
  ops.nvwsqrsummasklocal = compiled<weighted_squares_masked>();

  ops.nvlinearcombination = compiled<linear_combination>();
  ops.nvscaleaddmulti = compiled<scale_add_multi>();
  ops.nvdotprodmulti = ops.nvdotprodmultilocal = compiled<dot_multi>();
  return v;
}

}  // namespace sunlagrange
