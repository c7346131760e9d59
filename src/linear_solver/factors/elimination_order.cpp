// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver/factors/elimination_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <tuple>

namespace sunlagrange::internal {

namespace {

constexpr double usual_work = 64.0;      // multiplications per entry of M and G; up to it an order is accepted at once
constexpr double accepted_excess = 4.0;  // block does this many multiplications in the time of one of klu

using Lists = SignedVector<SignedVector<int>>;

void make_unique(SignedVector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool within(const SignedVector<int>& some, const SignedVector<int>& all) {
  return std::all_of(some.begin(), some.end(),
                     [&all](int i) { return std::find(all.begin(), all.end(), i) != all.end(); });
}

/// The elimination graph: an eliminated unknown leaves a clique of its neighbours.
class Elimination {
 public:
  /// @param rows_wait  false: rows are treated like coordinates, as in a code that chooses pivots by value
  Elimination(const BlockPattern& pattern, bool rows_wait);

  /// Returns the unknowns in the order of their elimination.
  /// @param most_work  multiplications after which it gives up; then unknowns are missing
  SignedVector<int> run(double most_work = HUGE_VAL);
  double work() const { return work_; }
  /// The neighbour of each unknown that is eliminated next; -1: none.
  const SignedVector<int>& parent() const { return parent_; }
  const Lists& neighbours_at_start() const { return start_; }

 private:
  bool is_row(int k) const { return k >= n_; }
  int degree(int k);
  int root_of(int k);
  void enter(int k);
  void leave(int k);
  void eliminate(int k);
  void eliminate_clique(SignedVector<int>& order);
  void join_subtrees(int k);
  void release_rows(int k);
  void release_joint(int k, const SignedVector<int>& rows);
  bool one_joint(const SignedVector<int>& rows);

  static constexpr char by_joint = 2;  // value of allowed_

  int n_, size_;
  bool rows_wait_;
  double work_ = 0.0;                // multiplications so far
  Lists start_, around_, elements_;  // neighbours at the start, and now; eliminated unknowns whose cliques contain it
  Lists clique_;                     // of the roots of eliminated subtrees
  SignedVector<int> parent_, root_, waits_for_, mark_;
  SignedVector<char> gone_, allowed_, tied_;  // tied: a row of this subtree was eliminated with it
  SignedVector<long> touched_;
  long clock_ = 0;
  int stamp_ = 0;
  std::set<std::tuple<int, long, int>> queue_;  // by degree, the latest first
};

Elimination::Elimination(const BlockPattern& p, bool rows_wait)
    : n_(p.top_left.rows), size_(n_ + p.jacobian.rows), rows_wait_(rows_wait) {
  const std::ptrdiff_t size = size_;
  start_.resize(size);
  elements_.resize(size);
  clique_.resize(size);
  const auto add = [this](const SparsePattern& pattern, int row_offset, int column_offset) {
    pattern.for_each_entry([&](int i, int j, int) {
      if (i + row_offset == j + column_offset) return;
      start_[i + row_offset].push_back(j + column_offset);
      start_[j + column_offset].push_back(i + row_offset);
    });
  };
  add(p.top_left, 0, 0);
  add(p.jacobian, n_, 0);
  if (p.newton) add(p.bottom_left, n_, 0);
  add(p.compliance, n_, n_);
  for (auto& list : start_) make_unique(list);
  around_ = start_;
  parent_.assign(size, -1);
  root_.resize(size);
  for (int k = 0; k < size_; ++k) root_[k] = k;
  waits_for_.assign(size, 0);
  mark_.assign(size, 0);
  for (auto* flags : {&gone_, &allowed_, &tied_}) flags->assign(size, 0);
  touched_.assign(size, 1L << 60);
  for (int k = n_; k < size_; ++k) {
    for (const int j : start_[k]) waits_for_[k] += is_row(j) ? 0 : 1;
  }
}

int Elimination::root_of(int k) {
  int* root = root_.data();
  while (root[k] != k) k = root[k] = root[root[k]];
  return k;
}

/// Rows that wait for this coordinate alone do not count: they are eliminated next.
int Elimination::degree(int k) {
  const auto& at_start = start_[k];
  const auto follow = std::count_if(at_start.begin(), at_start.end(),
                                    [this](int i) { return is_row(i) && gone_[i] == 0 && waits_for_[i] == 1; });
  return static_cast<int>(around_[k].size()) - (is_row(k) ? 0 : static_cast<int>(follow));
}

void Elimination::enter(int k) {
  if (allowed_[k] != 0) queue_.emplace(degree(k), touched_[k], k);
}

void Elimination::leave(int k) {
  if (allowed_[k] != 0) queue_.erase({degree(k), touched_[k], k});
}

SignedVector<int> Elimination::run(double most_work) {
  SignedVector<int> order;
  for (int k = 0; k < size_; ++k) {
    allowed_[k] = !rows_wait_ || !is_row(k) || waits_for_[k] == 0 ? 1 : 0;
    enter(k);
  }
  while (!queue_.empty() && work_ <= most_work) {
    const int k = std::get<2>(*queue_.begin());
    queue_.erase(queue_.begin());
    order.push_back(k);
    const auto border = static_cast<double>(around_[k].size());
    work_ += border * (border + 1.0) / 2.0;
    if (static_cast<int>(border) + static_cast<int>(order.size()) == size_) {
      eliminate_clique(order);
      break;
    }
    eliminate(k);
  }
  return order;
}

/// The last unknown of `order` is a neighbour of all that remain, which form a clique: any order of them costs the
/// same. Coordinates come first.
void Elimination::eliminate_clique(SignedVector<int>& order) {
  SignedVector<int> rest = std::move(around_[order.back()]);
  std::sort(rest.begin(), rest.end());
  for (std::size_t k = 0; k < rest.size(); ++k) {
    join_subtrees(order.back());
    parent_[order.back()] = root_[order.back()] = rest[k];
    order.push_back(rest[k]);
    const auto border = static_cast<double>(rest.size() - k - 1);
    work_ += border * (border + 1.0) / 2.0;
  }
  join_subtrees(order.back());
}

void Elimination::eliminate(int k) {
  const SignedVector<int>& clique = clique_[k] = std::move(around_[k]);
  ++clock_;
  for (const int i : clique) leave(i);
  gone_[k] = 1;
  for (const int i : clique) {
    touched_[i] = clock_;
    auto& list = around_[i];
    ++stamp_;
    mark_[i] = stamp_;
    list.erase(std::find(list.begin(), list.end(), k));
    for (const int j : list) mark_[j] = stamp_;
    for (const int j : clique) {
      if (mark_[j] != stamp_) list.push_back(j);
    }
    elements_[i].push_back(k);
    enter(i);
  }
  join_subtrees(k);
  if (is_row(k)) return;
  release_rows(k);
  if (std::all_of(clique.begin(), clique.end(), [this](int i) { return is_row(i); })) release_joint(k, clique);
}

void Elimination::join_subtrees(int k) {
  char tied = is_row(k) && allowed_[k] != by_joint ? 1 : 0;
  for (const int element : elements_[k]) {
    const int root = root_of(element);
    if (root == k) continue;
    root_[root] = k;
    parent_[root] = k;
    tied = static_cast<char>(tied | tied_[root]);
    clique_[root] = {};
  }
  tied_[k] = tied;
  elements_[k] = {};
}

/// Allows the rows of k whose coordinates are all eliminated.
void Elimination::release_rows(int k) {
  for (const int i : start_[k]) {
    if (!is_row(i)) continue;
    const int waits = --waits_for_[i];
    if (waits == 1) {  // the degree of the last coordinate changes
      const auto& list = start_[i];
      const int last = *std::find_if(list.begin(), list.end(), [this](int j) { return !is_row(j) && !gone_[j]; });
      ++waits_for_[i];
      leave(last);
      --waits_for_[i];
      enter(last);
    }
    if (waits > 0 || allowed_[i] != 0) continue;
    allowed_[i] = 1;
    enter(i);
  }
}

/// Allows the rows that alone hold coordinate k, if they belong to one joint and the body has at least as many
/// coordinates that nothing else holds.
void Elimination::release_joint(int k, const SignedVector<int>& rows) {
  if (tied_[k] != 0 || !one_joint(rows)) return;
  int own = 0;
  ++stamp_;
  for (const int i : rows) {
    for (const int j : start_[i]) {
      if (is_row(j) || mark_[j] == stamp_) continue;
      mark_[j] = stamp_;
      const int root = root_of(j);
      if (gone_[j] == 0) {
        if (within(around_[j], rows)) return;  // j is eliminated first
      } else if (tied_[root] == 0 && within(clique_[root], rows)) {
        ++own;
      }
    }
  }
  if (own < static_cast<int>(rows.size())) return;
  for (const int i : rows) {
    if (allowed_[i] != 0) continue;
    allowed_[i] = by_joint;
    enter(i);
  }
}

/// Returns true if the rows that still wait share coordinates that are not eliminated.
bool Elimination::one_joint(const SignedVector<int>& rows) {
  SignedVector<int> shared, of_row;
  for (const int i : rows) {
    if (allowed_[i] != 0) continue;
    of_row.clear();
    for (const int j : start_[i]) {
      if (!is_row(j) && gone_[j] == 0) of_row.push_back(j);
    }
    if (!shared.empty() &&
        std::find_first_of(of_row.begin(), of_row.end(), shared.begin(), shared.end()) == of_row.end()) {
      return false;
    }
    shared.insert(shared.end(), of_row.begin(), of_row.end());
  }
  return !shared.empty();
}

/// Returns a postorder: children before parents, the largest subtree first.
SignedVector<int> postorder(const SignedVector<int>& order, const SignedVector<int>& parent) {
  SignedVector<int> subtree(order.size(), 1), roots, result, stack;
  Lists children(order.size());
  for (const int k : order) {
    const int p = parent[k];
    if (p >= 0) subtree[p] += subtree[k];
    (p >= 0 ? children[p] : roots).push_back(k);
  }
  for (auto& list : children) {
    std::stable_sort(list.begin(), list.end(), [&](int i, int j) { return subtree[i] < subtree[j]; });
  }
  for (const int root : roots) {
    stack.push_back(root);
    while (!stack.empty()) {
      const int k = stack.back();
      if (auto& list = children[k]; !list.empty()) {
        stack.push_back(list.back());
        list.pop_back();
      } else {
        result.push_back(k);
        stack.pop_back();
      }
    }
  }
  return result;
}

}  // namespace

EliminationOrder::EliminationOrder(const BlockPattern& pattern) {
  const double entries = static_cast<double>(pattern.top_left.nonzeros()) + pattern.jacobian.nonzeros();
  Elimination elimination(pattern, true);
  SignedVector<int> order = elimination.run(usual_work * entries);
  if (elimination.work() > usual_work * entries) {
    Elimination by_value(pattern, false);
    by_value.run();
    elimination = Elimination(pattern, true);
    order = elimination.run(accepted_excess * by_value.work());
    if (elimination.work() > accepted_excess * by_value.work()) return;
  }
  complete = true;
  unknown = postorder(order, elimination.parent());
  place.resize(unknown.size());
  for (std::size_t k = 0; k < unknown.size(); ++k) place[unknown[k]] = static_cast<int>(k);
  reached.resize(unknown.size());
  for (std::size_t k = 0; k < unknown.size(); ++k) {
    for (const int j : elimination.neighbours_at_start()[unknown[k]]) {
      if (const int at = place[j]; at > static_cast<int>(k)) reached[k].push_back(at);
    }
  }
}

void EliminationOrder::rearrange(const SignedVector<int>& from) {
  SignedVector<int> to(from.size()), moved(from.size());
  SignedVector<SignedVector<int>> reaches(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) to[from[k]] = static_cast<int>(k);
  for (std::size_t k = 0; k < from.size(); ++k) {
    moved[to[k]] = unknown[k];
    for (const int j : reached[k]) {
      const int a = to[k], b = to[j];
      reaches[std::min(a, b)].push_back(std::max(a, b));
    }
  }
  unknown = std::move(moved);
  reached = std::move(reaches);
  for (std::size_t k = 0; k < unknown.size(); ++k) place[unknown[k]] = static_cast<int>(k);
}

}  // namespace sunlagrange::internal
