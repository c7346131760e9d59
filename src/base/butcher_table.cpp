// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/base/butcher_table.hpp>

#include <algorithm>
#include <cmath>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/setting.hpp>

#include "base/numerics.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

constexpr double digits = 1e-10;  // to which row sums and order conditions must hold

using Values = std::vector<double>;

std::vector<std::string> shape_problems(const ButcherTable& table) {
  std::vector<std::string> list;
  const std::size_t s = table.b.size();
  const auto count = [](std::size_t n, const char* what) { return std::to_string(n) + " " + what; };
  if (table.order < 1) list.push_back("order = " + std::to_string(table.order) + ": must be at least 1");
  if (s == 0) list.push_back("b is empty: one weight per stage");
  if (table.c.size() != s) list.push_back("c has " + count(table.c.size(), "entries, b has ") + std::to_string(s));
  if (table.A.size() != s)
    list.push_back("A has " + count(table.A.size(), "rows, b has ") + std::to_string(s) + " entries");
  for (std::size_t i = 0; i < std::min(s, table.A.size()); ++i) {
    const Values& row = table.A[i];
    const std::string name = "row " + std::to_string(i + 1) + " of A";
    if (row.size() < i || row.size() > s) {
      list.push_back(name + " has " + count(row.size(), "entries: ") + std::to_string(i) + " (below the diagonal) to " +
                     std::to_string(s));
    }
    for (std::size_t j = i; j < row.size(); ++j) {
      if (row[j] == 0.0) continue;
      list.push_back(name + " has " + text(row[j]) + " in column " + std::to_string(j + 1) +
                     ": an explicit method has zeros on and above the diagonal");
      break;
    }
  }
  const auto finite = [](const Values& x) {
    for (const double value : x) {
      if (!std::isfinite(value)) return false;
    }
    return true;
  };
  bool all_finite = finite(table.b) && finite(table.c);
  for (const Values& row : table.A) all_finite = all_finite && finite(row);
  if (!all_finite) list.push_back("an entry of A, b or c is not finite");
  return list;
}

/// sum_j a_ij x_j for every i.
Values A_times(const ButcherTable& table, const Values& x) {
  Values y(x.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) y[i] += table.A[i][j] * x[j];
  }
  return y;
}

Values times(const Values& x, const Values& y) {
  Values z = x;
  for (std::size_t i = 0; i < z.size(); ++i) z[i] *= y[i];
  return z;
}

/// Sums of b with terms in which c stands for the nodes or for the row sums, in every combination; the sum furthest
/// from the required value counts. All agree for a table whose nodes are its row sums.
class Substitution {
 public:
  explicit Substitution(const ButcherTable& table)
      : table_(table), nodes_{table.c, A_times(table, Values(table.b.size(), 1.0))} {}

  template <typename Terms>
  OrderCondition condition(int order, const char* formula, double required, Terms&& terms) const {
    OrderCondition worst{order, formula, required, required};
    for (unsigned choice = 0; choice < 8; ++choice) {  // at most three places
      const auto x = [&](unsigned place) -> const Values& { return nodes_[(choice >> place) & 1U]; };
      const Values list = terms(x(0), x(1), x(2));
      double sum = 0.0;
      for (std::size_t i = 0; i < list.size(); ++i) sum += table_.b[i] * list[i];
      if (choice == 0 || std::abs(sum - required) > std::abs(worst.residual()) + digits) worst.found = sum;
    }
    return worst;
  }

 private:
  const ButcherTable& table_;
  Values nodes_[2];
};

}  // namespace

std::vector<std::string> ButcherTable::problems() const {
  std::vector<std::string> list = shape_problems(*this);
  if (!list.empty()) return list;
  const Values sums = A_times(*this, Values(b.size(), 1.0));
  bool row_sums = true;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::abs(c[i] - sums[i]) <= digits) continue;
    row_sums = false;
    if (free_nodes) continue;
    list.push_back("c_" + std::to_string(i + 1) + " = " + text(c[i]) + " differs from the sum of row " +
                   std::to_string(i + 1) + " of A by " + text(c[i] - sums[i]) + "; if this is meant, set free_nodes");
  }
  for (const OrderCondition& condition : order_conditions()) {
    if (condition.order > order || (condition.order > 2 && !row_sums) || condition.holds()) continue;
    list.push_back("order " + std::to_string(order) + " needs " + condition.formula + " = " + text(condition.required) +
                   "; it is off by " + text(condition.residual()) + " (write all digits, or state a lower order)");
  }
  return list;
}

bool OrderCondition::holds() const {
  return std::abs(residual()) <= digits;
}

std::vector<OrderCondition> ButcherTable::order_conditions() const {
  const Substitution sum(*this);
  const auto product = [this](const Values& x) { return A_times(*this, x); };
  std::vector<OrderCondition> list;
  list.reserve(8);
  const auto add = [&](int required_from, const char* formula, double required, auto&& terms) {
    list.push_back(sum.condition(required_from, formula, required, terms));
  };
  using V = const Values&;
  add(1, "sum b_i", 1.0, [](V x, V, V) { return Values(x.size(), 1.0); });
  add(2, "sum b_i c_i", 1.0 / 2.0, [](V x, V, V) { return x; });
  add(3, "sum b_i c_i^2", 1.0 / 3.0, [](V x, V y, V) { return times(x, y); });
  add(3, "sum b_i a_ij c_j", 1.0 / 6.0, [&](V x, V, V) { return product(x); });
  add(4, "sum b_i c_i^3", 1.0 / 4.0, [](V x, V y, V z) { return times(times(x, y), z); });
  add(4, "sum b_i c_i a_ij c_j", 1.0 / 8.0, [&](V x, V y, V) { return times(x, product(y)); });
  add(4, "sum b_i a_ij c_j^2", 1.0 / 12.0, [&](V x, V y, V) { return product(times(x, y)); });
  add(4, "sum b_i a_ij a_jk c_k", 1.0 / 24.0, [&](V x, V, V) { return product(product(x)); });
  return list;
}

int ButcherTable::order_found() const {
  int found = 4;
  for (const OrderCondition& condition : order_conditions()) {
    if (!condition.holds()) found = std::min(found, condition.order - 1);
  }
  return found;
}

double ButcherTable::stability_function(double z) const {
  std::vector<double> k(b.size());
  double result = 1.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double stage = 1.0;
    for (std::size_t j = 0; j < i; ++j) stage += z * A[i][j] * k[j];
    k[i] = stage;
    result += z * b[i] * stage;
  }
  return result;
}

Eigen::MatrixXd ButcherTable::stability_function(const Eigen::MatrixXd& Z) const {
  return growth(std::vector<Eigen::MatrixXd>(b.size(), Z), 1.0);
}

std::vector<double> ButcherTable::stability_coefficients() const {
  std::vector<double> r{1.0};
  for (Values stage(b.size(), 1.0); r.size() <= b.size(); stage = A_times(*this, stage)) {
    double sum = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * stage[i];
    r.push_back(sum);
  }
  return r;
}

Eigen::MatrixXd ButcherTable::growth(const std::function<Eigen::MatrixXd(double)>& K, double t, double tau) const {
  std::vector<Eigen::MatrixXd> stages;
  for (const double node : c) stages.push_back(K(t + node * tau));
  return growth(stages, tau);
}

Eigen::MatrixXd ButcherTable::growth(const std::vector<Eigen::MatrixXd>& K, double tau) const {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(K.front().rows(), K.front().cols());
  std::vector<Eigen::MatrixXd> slope(b.size());
  Eigen::MatrixXd result = one;
  Eigen::MatrixXd stage;
  for (std::size_t i = 0; i < b.size(); ++i) {
    stage = one;
    for (std::size_t j = 0; j < i; ++j) {
      if (A[i][j] != 0.0) stage.noalias() += tau * A[i][j] * slope[j];
    }
    slope[i].noalias() = K[i] * stage;
    result.noalias() += tau * b[i] * slope[i];
  }
  return result;
}

double ButcherTable::real_stability_limit() const {
  const auto stable = [this](double z) { return std::abs(stability_function(-z)) <= 1.0; };
  return end_of_stretch(stable, 1e-3, 100.0);
}

const ButcherTable& rk1() {
  static const ButcherTable table{"rk1", 1, {0.0}, {{}}, {1.0}};
  return table;
}

const ButcherTable& rk2() {
  static const ButcherTable table{"rk2", 2, {0.0, 1.0}, {{}, {1.0}}, {0.5, 0.5}};
  return table;
}

const ButcherTable& rk3() {
  static const ButcherTable table{
      "rk3", 3, {0.0, 0.5, 1.0}, {{}, {0.5}, {-1.0, 2.0}}, {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0}};
  return table;
}

const ButcherTable& rk4() {
  static const ButcherTable table{"rk4",
                                  4,
                                  {0.0, 0.5, 0.5, 1.0},
                                  {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
                                  {1.0 / 6.0, 2.0 / 6.0, 2.0 / 6.0, 1.0 / 6.0}};
  return table;
}

void ButcherTable::describe(Figures& f) {
  f("name", name, "name of the method");
  f("order", order, "order of the method");
  f("A", A, "1", "coefficients of the stages, row by row");
  f("b", b, "1", "weights");
  f("c", c, "1", "nodes");
}

}  // namespace sunlagrange
