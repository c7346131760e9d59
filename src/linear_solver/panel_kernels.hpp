#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "linear_solver/panels.hpp"

namespace sunlagrange::internal::kernels {

// Loops over one panel (panels.hpp), A = L D U with unit triangles, no pivoting. l: rows of L; u: rows of U^T, the same
// array if A is symmetric. `Size` is int, or std::integral_constant: then its loops are unrolled, and what is between
// them stays in registers.

template <int size>
using Fixed = std::integral_constant<int, size>;

template <class Use, int... k>
inline void for_each(std::integer_sequence<int, k...>, Use&& use) {
  (use(Fixed<k>{}), ...);
}
template <int size, class Use>
inline void for_each_below(Fixed<size>, Use&& use) {
  for_each(std::make_integer_sequence<int, size>{}, use);
}
template <class Use>
inline void for_each_below(int size, Use&& use) {
  for (int k = 0; k < size; ++k) use(k);
}

template <int i>
constexpr Fixed<(i > 0 ? i - 1 : 0)> previous(Fixed<i>) {
  return {};
}
constexpr int previous(int i) {
  return i - 1;
}

template <int size, class Use>
inline void for_each_from_last(Fixed<size>, Use&& use) {
  for_each_below(Fixed<size>{}, [&](auto k) { use(Fixed<size - 1 - k.value>{}); });
}
template <class Use>
inline void for_each_from_last(int size, Use&& use) {
  for (int k = size - 1; k >= 0; --k) use(k);
}

/// Where row i of a packed lower triangle begins; of a panel, where the border begins.
constexpr int start_of(int i) {
  return i * (i + 1) / 2;
}

template <class Size>
inline double dot_of(Size count, const double* x, const double* y) {
  double sum = 0.0;
  for_each_below(count, [&](auto k) { sum += x[k] * y[k]; });
  return sum;
}

/// Factors of the pivots of a panel; of fixed size on the stack, where the compiler keeps them in registers.
template <bool symmetric, class Size>
struct PivotBlock {
  PivotBlock(double*, double*, double*, double*) {}
  static constexpr int size = Size::value;
  double l[size * (size + 1) / 2], own_u[symmetric ? 1 : size * (size + 1) / 2], inverse[size], w[size], wu[size];
  const double* u() const { return symmetric ? l : own_u; }
};
template <bool symmetric>
struct PivotBlock<symmetric, int> {
  PivotBlock(double* l_, double* u_, double* inverse_, double* w_) : l(l_), own_u(u_), inverse(inverse_), w(w_) {}
  double *l, *own_u, *inverse, *w;
  const double* u() const { return symmetric ? l : own_u; }
};

/// w = a U^-1 for the first `count` pivots, out = w D^-1.
template <class Count>
inline void eliminate_row(Count count, const double* u, const double* inverse, const double* a, double* w,
                          double* out) {
  for_each_below(count, [&](auto j) {
    double sum = a[j];
    for_each_below(j, [&](auto k) { sum -= w[k] * u[start_of(j) + k]; });
    w[j] = sum;
  });
  for_each_below(count, [&](auto j) { out[j] = w[j] * inverse[j]; });
}

/// @param scratch  twice the number of pivots
/// @param target   where border x border goes in `below`, and, where u is not l, its mirror image in `above`
template <bool symmetric, class Size, class Border>
void eliminate_panel(Size pivots, Border border, double* l, double* u, double* scratch, double* pivot, double* inverse,
                     const int* target, double* below, double* above) {
  PivotBlock<symmetric, Size> block(l, u, inverse, scratch);
  double *w = block.w, *wu = nullptr;
  if constexpr (!symmetric && std::is_same_v<Size, int>) wu = scratch + pivots;
  if constexpr (!symmetric && !std::is_same_v<Size, int>) wu = block.wu;
  double even = 0.0;
  for_each_below(pivots, [&](auto i) {
    eliminate_row(i, block.u(), block.inverse, l + start_of(i), w, block.l + start_of(i));
    if (!symmetric) {
      eliminate_row(i, block.l, block.inverse, u + start_of(i), wu, block.own_u + start_of(i));
    }
    const double* ui = block.u() + start_of(i);
    if (i % 2 == 0) {
      pivot[i] = even = l[start_of(i) + i] - dot_of(i, w, ui);
      block.inverse[i] = 1.0 / even;
    } else {  // of two pivots a, c - b^2 / a together: the second does not wait for 1 / a
      const auto before = previous(i);
      const double c = l[start_of(i) + i] - dot_of(before, w, ui);
      const double determinant = even * c - w[before] * (symmetric ? w : wu)[before];
      block.inverse[i] = even / determinant;
      pivot[i] = determinant * block.inverse[before];
    }
  });
  if constexpr (!std::is_same_v<Size, int>) {
    for_each_below(pivots, [&](auto i) {
      inverse[i] = block.inverse[i];
      for_each_below(i, [&](auto k) {
        l[start_of(i) + k] = block.l[start_of(i) + k];
        if (!symmetric) u[start_of(i) + k] = block.own_u[start_of(i) + k];
      });
    });
  }
  double *l_border = l + start_of(pivots), *u_border = u + start_of(pivots);
  for_each_below(border, [&](auto i) {
    double *li = l_border + i * pivots, *ui = u_border + i * pivots;
    eliminate_row(pivots, block.u(), block.inverse, li, w, li);
    if (!symmetric) eliminate_row(pivots, block.l, block.inverse, ui, wu, ui);
    for_each_below(i, [&](auto j) {
      below[target[start_of(i) + j]] -= dot_of(pivots, w, u_border + j * pivots);
      if (!symmetric) above[target[start_of(i) + j]] -= dot_of(pivots, wu, l_border + j * pivots);
    });
    below[target[start_of(i) + i]] -= dot_of(pivots, w, ui);
  });
}

/// The pivots' own part of x; of fixed size in registers, written back at the end.
template <class Size>
struct OwnPart {
  explicit OwnPart(double* x) : from(x) {
    for_each_below(Size{}, [&](auto k) { value[k] = from[k]; });
  }
  ~OwnPart() {
    for_each_below(Size{}, [&](auto k) { from[k] = value[k]; });
  }
  OwnPart(const OwnPart&) = delete;
  OwnPart& operator=(const OwnPart&) = delete;
  double value[Size::value];
  double* from;
};
template <>
struct OwnPart<int> {
  explicit OwnPart(double* x) : value(x) {}
  double* value;
};

/// x <- L^-1 x for one panel; own: the places of its pivots in x.
template <class Size, class Border>
void solve_panel(Size pivots, Border border, const double* l, const int* row, double* own, double* x) {
  OwnPart<Size> part(own);
  double* y = part.value;
  for_each_below(pivots, [&](auto i) { y[i] -= dot_of(i, l + start_of(i), y); });
  l += start_of(pivots);
  for_each_below(border, [&](auto i) { x[row[i]] -= dot_of(pivots, l + i * pivots, y); });
}

/// x <- U^-1 D^-1 x for one panel.
template <class Size, class Border>
void solve_panel_back(Size pivots, Border border, const double* u, const double* inverse, const int* row, double* own,
                      const double* x) {
  OwnPart<Size> part(own);
  double* y = part.value;
  for_each_below(pivots, [&](auto k) { y[k] *= inverse[k]; });
  const double* below = u + start_of(pivots);
  for_each_below(border, [&](auto i) {
    const double value = x[row[i]];
    for_each_below(pivots, [&](auto k) { y[k] -= below[i * pivots + k] * value; });
  });
  for_each_from_last(pivots, [&](auto i) { for_each_below(i, [&](auto k) { y[k] -= u[start_of(i) + k] * y[i]; }); });
}

/// use(pivots), a compile-time constant for the sizes of bodies with their joints.
template <class Use>
void with_size(int pivots, Use&& use) {
  switch (pivots) {
    case 1:
      return use(Fixed<1>{});
    case 2:
      return use(Fixed<2>{});
    case 3:
      return use(Fixed<3>{});
    case 4:
      return use(Fixed<4>{});
    case 5:
      return use(Fixed<5>{});
    case 6:
      return use(Fixed<6>{});
    case 7:
      return use(Fixed<7>{});
    case 8:
      return use(Fixed<8>{});
    default:
      return use(pivots);
  }
}

template <class Use>
void with_sizes(int pivots, int border, Use&& use) {
  with_size(pivots, [&](auto p) {
    switch (border) {
      case 2:
        return use(p, Fixed<2>{});
      case 3:
        return use(p, Fixed<3>{});
      default:
        return use(p, border);
    }
  });
}

/// @param values   panels of L; of U^T behind them if they differ
/// @param scratch  twice the largest number of pivots
/// @return smallest |pivot x weight|; 0 if one is not finite
template <bool symmetric>
inline double eliminate(const Panels& panels, int first_panel, int end_panel, const double* weight, double* values,
                        double* pivot, double* inverse, double* scratch) {
  double smallest = HUGE_VAL, not_finite = 0.0;
  const Panels::Panel *p = panels.panel.data() + first_panel, *end = panels.panel.data() + end_panel;
  double* above = symmetric ? values : values + panels.entries;
  while (p != end) {
    with_sizes(p->pivots, p->border, [&](auto pivots, auto border) {
      for (; p != end && p->pivots == pivots && p->border == border; ++p) {
        eliminate_panel<symmetric>(pivots, border, values + p->values, above + p->values, scratch, pivot + p->first,
                                   inverse + p->first, panels.target.data() + p->target, values, above);
        for_each_below(pivots, [&](auto k) {
          const double product = std::abs(pivot[p->first + k] * weight[p->first + k]);
          smallest = product < smallest ? product : smallest;
          not_finite += 0.0 * product;
        });
      }
    });
  }
  return not_finite == 0.0 ? smallest : 0.0;
}

inline void solve(const Panels& panels, const double* l, const double* u, const double* inverse, double* x) {
  const Panels::Panel *begin = panels.panel.data(), *end = begin + panels.panel.size(), *p = begin;
  const int* row = panels.row.data();
  while (p != end) {
    with_sizes(p->pivots, p->border, [&](auto pivots, auto border) {
      for (; p != end && p->pivots == pivots && p->border == border; ++p) {
        solve_panel(pivots, border, l + p->values, row + p->row, x + p->first, x);
      }
    });
  }
  while (p != begin) {
    with_sizes((p - 1)->pivots, (p - 1)->border, [&](auto pivots, auto border) {
      for (; p != begin && (p - 1)->pivots == pivots && (p - 1)->border == border; --p) {
        const Panels::Panel& q = *(p - 1);
        solve_panel_back(pivots, border, u + q.values, inverse + q.first, row + q.row, x + q.first, x);
      }
    });
  }
}

/// Smallest |pivot x weight|; 0 if one is not finite.
inline double smallest_product(const double* pivot, const double* weight, int size) {
  constexpr int lanes = 8;  // which need not wait for each other
  double smallest[lanes], not_finite[lanes];
  for (int k = 0; k < lanes; ++k) {
    smallest[k] = HUGE_VAL;
    not_finite[k] = 0.0;
  }
  const auto see = [&](int i, int lane) {
    const double product = std::abs(pivot[i] * weight[i]);
    smallest[lane] = product < smallest[lane] ? product : smallest[lane];
    not_finite[lane] += 0.0 * product;
  };
  int i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (int k = 0; k < lanes; ++k) see(i + k, k);
  }
  for (; i < size; ++i) see(i, 0);
  for (int k = 0; k < lanes; ++k) {
    smallest[0] = smallest[k] < smallest[0] ? smallest[k] : smallest[0];
    not_finite[0] += not_finite[k];
  }
  return not_finite[0] == 0.0 ? smallest[0] : 0.0;
}

}  // namespace sunlagrange::internal::kernels
