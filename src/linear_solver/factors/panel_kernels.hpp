// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "linear_solver/factors/panels.hpp"

namespace sunlagrange::internal::kernels {

// Loops over one panel (panels.hpp), A = L D U with unit triangles, no pivoting. l: rows of L; u: rows of U^T, the same
// array if A is symmetric; 1 / D is stored in the diagonal of L. `Size` is int, or std::integral_constant: then its loops
// are unrolled, and what is between them stays in registers. `Number` is double, or one double for each lane.

#if defined(__GNUC__)
using Pair = double __attribute__((vector_size(2 * sizeof(double))));
#else
using Pair = double;  // Panels has no lanes
#endif

template <class Number>
constexpr int lanes_of = static_cast<int>(sizeof(Number) / sizeof(double));

static_assert((lanes_of<Pair> == 2) == Panels::in_lanes && Panels::most_pivots_in_lanes == 8, "with_size knows these");

/// Numbers in memory. Entry is double or const double.
template <class Number, class Entry = double>
struct Stored {
  Entry* at;
  Number operator[](int k) const {
    Number x;
    std::memcpy(&x, at + lanes_of<Number> * k, sizeof x);
    return x;
  }
  friend Stored operator+(Stored s, int k) { return {s.at + lanes_of<Number> * k}; }
};

template <class Number>
void put(Stored<Number> to, int k, Number x) {
  std::memcpy(to.at + lanes_of<Number> * k, &x, sizeof x);
}
template <class Number>
void put(Number* to, int k, Number x) {
  to[k] = x;
}

/// Numbers of both lanes, at the places of a list.
template <class Number>
struct Listed {
  double* at;
  const int* list;
  int apart;  ///< from an entry of the list to that of the second lane; 0: it is right behind the first

  Number operator[](int k) const {
    if constexpr (lanes_of<Number> == 1) {
      return at[list[k]];
    } else {
      if (apart == 0) return Stored<Number>{at + list[k]}[0];
      return Number{at[list[k]], at[list[apart + k]]};
    }
  }
  void subtract(int k, Number x) const {
    if constexpr (lanes_of<Number> == 1) {
      at[list[k]] -= x;
    } else if (apart == 0) {
      const Stored<Number> both{at + list[k]};
      put(both, 0, both[0] - x);
    } else {  // may be the same for both
      at[list[k]] -= x[0];
      at[list[apart + k]] -= x[1];
    }
  }
};

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

/// Returns the begin of row i of a packed lower triangle; in a panel, the begin of the border.
constexpr int start_of(int i) {
  return i * (i + 1) / 2;
}

template <class Number, class Size, class X, class Y>
inline Number dot_of(Size count, X x, Y y) {
  Number sum{};
  for_each_below(count, [&](auto k) { sum += x[k] * y[k]; });
  return sum;
}

/// Returns the slot of the diagonal of a packed lower triangle.
template <class Number, class Entry = double>
struct Diagonal {
  Stored<Number, Entry> l;
  Number operator[](int i) const { return l[start_of(i) + i]; }
  friend void put(Diagonal d, int i, Number x) { put(d.l, start_of(i) + i, x); }
};

/// Factors of the pivots of a panel. Those of fixed size are on the stack, so that the compiler keeps them in
/// registers, and are written back at the end. `w`: the present row before the division by the pivots.
template <bool symmetric, class Number, class Size>
struct PivotBlock {
  PivotBlock(Stored<Number> l_, Stored<Number> u_, double*, int) : l_at(l_), u_at(u_) {}
  static constexpr int size = Size::value;
  Number l[size * (size + 1) / 2], own_u[symmetric ? 1 : size * (size + 1) / 2], inverse[size], w[size], wu[size];
  Stored<Number> l_at, u_at;
  const Number* u() const { return symmetric ? l : own_u; }
  void write_back() {
    for_each_below(Size{}, [&](auto i) {
      put(l_at, start_of(i) + i, inverse[i]);
      for_each_below(i, [&](auto k) {
        put(l_at, start_of(i) + k, l[start_of(i) + k]);
        if (!symmetric) put(u_at, start_of(i) + k, own_u[start_of(i) + k]);
      });
    });
  }
};
template <bool symmetric, class Number>
struct PivotBlock<symmetric, Number, int> {
  PivotBlock(Stored<Number> l_, Stored<Number> u_, double* scratch, int pivots)
      : l(l_), own_u(u_), inverse{l_}, w{scratch}, wu{scratch + pivots} {}
  Stored<Number> l, own_u;
  Diagonal<Number> inverse;
  Stored<Number> w, wu;
  Stored<Number> u() const { return symmetric ? l : own_u; }
  void write_back() {}
};

/// Computes w = a U^-1 for the first `count` pivots, and out = w D^-1.
template <class Number, class Count, class U, class Inverse, class W, class Out>
inline void eliminate_row(Count count, U u, Inverse inverse, Stored<Number> a, W w, Out out) {
  for_each_below(count, [&](auto j) {
    Number sum = a[j];
    for_each_below(j, [&](auto k) { sum -= w[k] * u[start_of(j) + k]; });
    put(w, j, sum);
  });
  for_each_below(count, [&](auto j) { put(out, j, w[j] * inverse[j]); });
}

inline double absolute(double x) {
  return std::abs(x);
}
template <class Number>
inline Number absolute(Number x) {
  return x < 0.0 ? -x : x;
}

/// The smallest absolute value added so far; 0 if a value was not finite.
template <class Number>
struct Smallest {
  Number smallest = Number{} + HUGE_VAL, not_finite{};
  void add(Number x) {
    x = absolute(x);
    smallest = x < smallest ? x : smallest;
    not_finite += 0.0 * x;
  }
  double value() const {
    if constexpr (lanes_of<Number> == 1) {
      return not_finite == 0.0 ? smallest : 0.0;
    } else {
      const double least = smallest[0] < smallest[1] ? smallest[0] : smallest[1];
      return not_finite[0] + not_finite[1] == 0.0 ? least : 0.0;
    }
  }
};

/// @param scratch  twice the number of pivots
/// @param below    target of border x border, and of its mirror image if u is not l
template <bool symmetric, class Number, class Size, class Border>
void eliminate_panel(Size pivots, Border border, Stored<Number> l, Stored<Number> u, double* scratch,
                     Stored<Number, const double> weight, Smallest<Number>& smallest, Listed<Number> below,
                     Listed<Number> above) {
  PivotBlock<symmetric, Number, Size> block(l, u, scratch, pivots);
  auto &w = block.w, &wu = block.wu;
  Number even{};
  for_each_below(pivots, [&](auto i) {
    eliminate_row(i, block.u(), block.inverse, l + start_of(i), w, block.l + start_of(i));
    if (!symmetric) {
      eliminate_row(i, block.l, block.inverse, u + start_of(i), wu, block.own_u + start_of(i));
    }
    const auto ui = block.u() + start_of(i);
    if (i % 2 == 0) {
      even = l[start_of(i) + i] - dot_of<Number>(i, w, ui);
      smallest.add(even * weight[i]);
      put(block.inverse, i, 1.0 / even);
    } else {  // of two pivots a, c - b^2 / a together: the second does not wait for 1 / a
      const auto before = previous(i);
      const Number c = l[start_of(i) + i] - dot_of<Number>(before, w, ui);
      const Number determinant = even * c - w[before] * (symmetric ? w : wu)[before];
      smallest.add(determinant * block.inverse[before] * weight[i]);
      put(block.inverse, i, even / determinant);
    }
  });
  block.write_back();
  const Stored<Number> l_border = l + start_of(pivots), u_border = u + start_of(pivots);
  for_each_below(border, [&](auto i) {
    const Stored<Number> li = l_border + i * pivots, ui = u_border + i * pivots;
    eliminate_row(pivots, block.u(), block.inverse, li, w, li);
    if (!symmetric) eliminate_row(pivots, block.l, block.inverse, ui, wu, ui);
    for_each_below(i, [&](auto j) {
      below.subtract(start_of(i) + j, dot_of<Number>(pivots, w, u_border + j * pivots));
      if (!symmetric) above.subtract(start_of(i) + j, dot_of<Number>(pivots, wu, l_border + j * pivots));
    });
    below.subtract(start_of(i) + i, dot_of<Number>(pivots, w, ui));
  });
}

/// The part of x that belongs to the pivots. Those of fixed size are in registers and written back at the end.
template <class Number, class Size>
struct OwnPart {
  explicit OwnPart(Stored<Number> x) : from(x) {
    for_each_below(Size{}, [&](auto k) { value[k] = from[k]; });
  }
  ~OwnPart() {
    for_each_below(Size{}, [&](auto k) { put(from, k, value[k]); });
  }
  OwnPart(const OwnPart&) = delete;
  OwnPart& operator=(const OwnPart&) = delete;
  Number value[Size::value];
  Stored<Number> from;
};
template <class Number>
struct OwnPart<Number, int> {
  explicit OwnPart(Stored<Number> x) : value(x) {}
  Stored<Number> value;
};

/// Computes x <- L^-1 x for one panel. own: places of its pivots in x; reached: places of its border.
template <class Number, class Size, class Border>
void solve_panel(Size pivots, Border border, Stored<Number, const double> l, Stored<Number> own,
                 Listed<Number> reached) {
  OwnPart<Number, Size> part(own);
  auto& y = part.value;
  for_each_below(pivots, [&](auto i) { put(y, i, y[i] - dot_of<Number>(i, l + start_of(i), y)); });
  const auto below = l + start_of(pivots);
  for_each_below(border, [&](auto i) { reached.subtract(i, dot_of<Number>(pivots, below + i * pivots, y)); });
}

/// Computes x <- U^-1 D^-1 x for one panel.
template <class Number, class Size, class Border>
void solve_panel_back(Size pivots, Border border, Stored<Number, const double> l, Stored<Number, const double> u,
                      Stored<Number> own, Listed<Number> reached) {
  OwnPart<Number, Size> part(own);
  auto& y = part.value;
  const Diagonal<Number, const double> inverse{l};
  for_each_below(pivots, [&](auto k) { put(y, k, y[k] * inverse[k]); });
  const auto below = u + start_of(pivots);
  for_each_below(border, [&](auto i) {
    const Number value = reached[i];
    for_each_below(pivots, [&](auto k) { put(y, k, y[k] - below[i * pivots + k] * value); });
  });
  for_each_from_last(pivots,
                     [&](auto i) { for_each_below(i, [&](auto k) { put(y, k, y[k] - u[start_of(i) + k] * y[i]); }); });
}

/// Calls use(number, pivots, border) for the shape of a panel. `number` has the type for its lanes; the sizes of bodies
/// with their joints are compile-time constants.
template <class Number, class Use>
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
      if constexpr (lanes_of<Number> == 1) return use(pivots);
  }
}

template <class Use>
void with_shape(const Panels::Panel& p, Use&& use) {
  if (p.lanes == 1) return with_size<double>(p.pivots, [&](auto pivots) { use(0.0, pivots, p.border); });
  if constexpr (lanes_of<Pair> == 2) {
    with_size<Pair>(p.pivots, [&](auto pivots) {
      switch (p.border) {
        case 2:
          return use(Pair{}, pivots, Fixed<2>{});
        case 3:
          return use(Pair{}, pivots, Fixed<3>{});
        default:
          return use(Pair{}, pivots, p.border);
      }
    });
  }
}

inline bool same_shape(const Panels::Panel& a, const Panels::Panel& b) {
  return a.pivots == b.pivots && a.border == b.border && a.lanes == b.lanes;
}

/// @param values   panels of L; of U^T behind them if they differ
/// @param scratch  twice the largest number of pivots
/// @return smallest |pivot x weight|; 0 if one is not finite
template <bool symmetric>
inline double eliminate(const Panels& panels, int first_panel, int end_panel, const double* weight, double* values,
                        double* scratch) {
  double smallest = HUGE_VAL;
  const Panels::Panel *p = panels.panel.data() + first_panel, *end = panels.panel.data() + end_panel;
  double* above = symmetric ? values : values + panels.entries;
  while (p != end) {
    with_shape(*p, [&](auto number, auto pivots, auto border) {
      using Number = decltype(number);
      Smallest<Number> found;
      for (const Panels::Panel& of = *p; p != end && same_shape(*p, of); ++p) {
        const int* target = panels.target.data() + p->target;
        const int apart = p->abreast ? 0 : start_of(border);
        eliminate_panel<symmetric, Number>(pivots, border, {values + p->values}, {above + p->values}, scratch,
                                           {weight + p->first}, found, {values, target, apart}, {above, target, apart});
      }
      smallest = found.value() < smallest ? found.value() : smallest;
    });
  }
  return smallest;
}

inline void solve(const Panels& panels, const double* l, const double* u, double* x) {
  const Panels::Panel *begin = panels.panel.data(), *end = begin + panels.panel.size(), *p = begin;
  const int* row = panels.row.data();
  while (p != end) {
    with_shape(*p, [&](auto number, auto pivots, auto border) {
      using Number = decltype(number);
      for (const Panels::Panel& of = *p; p != end && same_shape(*p, of); ++p) {
        solve_panel<Number>(pivots, border, {l + p->values}, {x + p->first},
                            {x, row + p->row, p->abreast ? 0 : static_cast<int>(border)});
      }
    });
  }
  while (p != begin) {
    with_shape(*(p - 1), [&](auto number, auto pivots, auto border) {
      using Number = decltype(number);
      for (const Panels::Panel& of = *(p - 1); p != begin && same_shape(*(p - 1), of); --p) {
        const Panels::Panel& q = *(p - 1);
        solve_panel_back<Number>(pivots, border, {l + q.values}, {u + q.values}, {x + q.first},
                                 {x, row + q.row, q.abreast ? 0 : static_cast<int>(border)});
      }
    });
  }
}

}  // namespace sunlagrange::internal::kernels
