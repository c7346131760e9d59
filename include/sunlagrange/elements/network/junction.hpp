// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

#include <sunlagrange/internal/element_type.hpp>
#include <sunlagrange/model/block_kind.hpp>
#include <sunlagrange/model/parameters.hpp>
#include <sunlagrange/model/units.hpp>
#include <sunlagrange/model/views.hpp>

namespace sunlagrange {

/// A node where K branches of one domain meet: the sum of the flows is zero. Coordinates: the displacements of the
/// branches.
///
///     g = sum_k sign_k q_k - total = 0          [C, m^3, J/K, ...]
///
/// sign_k = +1 for a branch whose flow arrives at the node, -1 for one whose flow leaves it; other numbers are turns
/// or areas. lambda is the common effort (potential, pressure, temperature) of the node: branch k receives the force
/// -sign_k lambda. Holonomic, so that charge and volume are conserved; `total` is what the displacements of the start
/// add up to. It transmits power and keeps none.
/// When not: for an ideal wire between two elements in series: let them act on the same coordinate. Of the nodes of a
/// closed network one is redundant: leave it out.
template <BlockKind kind, std::size_t K = 3>
struct Junction {
  std::array<double, K> sign = all_in();
  double total = 0.0;

  static constexpr int num_positions = static_cast<int>(K);
  static constexpr int num_constraints = 1;
  static constexpr std::array<BlockKind, K> blocks = [] {
    std::array<BlockKind, K> list{};
    for (std::size_t k = 0; k < K; ++k) list[k] = kind;
    return list;
  }();

  void describe_parameters(Parameters& p) {
    p.finite("sign", sign, "1", "+1 for a flow into the node, -1 for one out of it, for each branch");
    p.finite("total", total, units_of(kind).displacement, "displacement that the branches share");
  }

  template <class T>
  void constraint(T, View<const T> q, View<T> g) const {
    g[0] = T(-total);
    for (std::size_t k = 0; k < K; ++k) g[0] += sign[k] * q[static_cast<int>(k)];
  }

  void constraint_rows(double, View<const double> q, View<const double> v, View<double> g, View<double> rate,
                       View<double> gamma, MatrixView<double> G) const {
    g[0] = -total;
    rate[0] = gamma[0] = 0.0;
    for (std::size_t k = 0; k < K; ++k) {
      const int i = static_cast<int>(k);
      g[0] += sign[k] * q[i];
      rate[0] += sign[k] * v[i];
      G(0, i) = sign[k];
    }
  }

 private:
  static constexpr std::array<double, K> all_in() {
    std::array<double, K> list{};
    for (std::size_t k = 0; k < K; ++k) list[k] = 1.0;
    return list;
  }
};

template <std::size_t K = 3>
using CurrentLaw = Junction<BlockKind::electrical, K>;  ///< Kirchhoff's current law, on charges
template <std::size_t K = 3>
using PipeJunction = Junction<BlockKind::hydraulic, K>;  ///< incompressible fluid
template <std::size_t K = 3>
using EntropyNode = Junction<BlockKind::thermal, K>;  ///< one temperature for K flows of entropy

extern template struct internal::ElementType<CurrentLaw<>>;
extern template struct internal::ElementType<PipeJunction<>>;
extern template struct internal::ElementType<EntropyNode<>>;

}  // namespace sunlagrange
