#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh COMPILER INCLUDE EIGEN_INCLUDE...
#
# Mistakes that are usual in templated members and in laws: the first 15 lines of what g++ says name the remedy. And what
# is no mistake compiles.
set -euo pipefail
compiler=$1
shift
includes=()
for folder in "$@"; do
  for part in ${folder//;/ }; do includes+=(-isystem "$part"); done
done

# model STATEMENT: a pendulum whose constraint begins with it.
model() {
  cat <<TEXT
#include <cmath>
#include <sunlagrange/sunlagrange.hpp>
using namespace sunlagrange;
struct Pendulum {
  static constexpr int num_positions = 2;
  static constexpr int num_constraints = 1;
  template <class T>
  void mass_matrix(T, View<const T>, MatrixView<T> M) const {
    M(0, 0) = M(1, 1) = 1.0;
  }
  template <class T>
  void applied_force(T, View<const T>, View<const T>, View<T> f) const {
    f[1] = -9.81;
  }
  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    $1
    g[0] = (x + q[1] * q[1] - 1.0) / 2.0;
  }
};
int main() { return make_system(Pendulum{})->num_positions(); }
TEXT
}

compile() { "$compiler" -std=c++17 -fsyntax-only "${includes[@]}" -x c++ - 2>&1; }

# refused STATEMENT: does not compile, and the advice is near the top.
refused() {
  local said
  if said=$(model "$1" | compile); then
    echo "compiles, and should not: $1"
    exit 1
  fi
  head -n 15 <<<"$said" | grep -q "call_sin_not_std_sin_and_keep_values_in_T_or_auto" && return
  echo "no advice in the first 15 lines about: $1"
  head -n 15 <<<"$said"
  exit 1
}

# law_refused ELEMENT ADVICE: a law of wrong arity does not compile, and the first error is the advice.
law_refused() {
  local said
  if said=$(printf '%s\n' '#include <sunlagrange/elements.hpp>' '#include <sunlagrange/sunlagrange.hpp>' \
    'using namespace sunlagrange;' "void add(Assembly& to, const Block& block) { to.add(\"law\", $1, {block}); }" | compile); then
    echo "compiles, and should not: $1"
    exit 1
  fi
  grep -m 1 "error:" <<<"$said" | grep -qF "$2" && return
  echo "the first error is no advice about: $1"
  head -n 15 <<<"$said"
  exit 1
}

law_refused 'AppliedTorque{[](auto t) { return 2.0 * t; }}' 'write [](auto t, auto position, auto rate)'
law_refused 'AppliedForce{[](auto t) { return PlanarVector<double>{t, t}; }, AtPoint{}}' 'write [](auto t, auto q, auto v)'
law_refused 'PrescribedRate{[](auto t, auto, auto) { return 2.0 * t; }}' 'write [](auto t) { return ...; }'
law_refused 'SpatialAppliedTorque{[](auto t) { return spatial::Vector3<double>{t, t, t}; }}' 'write [](auto t, auto axis, auto spin)'

refused 'const T x = std::sin(q[0]);'
refused 'double x = q[0] * q[0];'
refused 'const T x = std::max(q[0], 0.0);'
refused 'const T x = lgamma(q[0]);' # has no derivative here

said=$(model 'const T x = min(max(q[0], 0.0), 1) + cbrt(q[1]) + expm1(q[0]) + clamp(q[0], -1, 1) * sign(q[1]);' | compile) || {
  echo "$said"
  exit 1
}
