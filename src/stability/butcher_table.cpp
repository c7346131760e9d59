#include <sunlagrange/stability/butcher_table.hpp>

#include <algorithm>
#include <cmath>

#include <sunlagrange/setting.hpp>

namespace sunlagrange {
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
Values apply(const ButcherTable& table, const Values& x) {
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

struct OrderCondition {
  int order;
  const char* formula;
  Values terms;  ///< summed with the weights b
  double value;
};

std::vector<OrderCondition> order_conditions(const ButcherTable& table) {
  const Values one(table.b.size(), 1.0);
  const Values& c = table.c;
  const Values cc = times(c, c), Ac = apply(table, c);
  return {{1, "sum b_i", one, 1.0},
          {2, "sum b_i c_i", c, 1.0 / 2.0},
          {3, "sum b_i c_i^2", cc, 1.0 / 3.0},
          {3, "sum b_i a_ij c_j", Ac, 1.0 / 6.0},
          {4, "sum b_i c_i^3", times(cc, c), 1.0 / 4.0},
          {4, "sum b_i c_i a_ij c_j", times(c, Ac), 1.0 / 8.0},
          {4, "sum b_i a_ij c_j^2", apply(table, cc), 1.0 / 12.0},
          {4, "sum b_i a_ij a_jk c_k", apply(table, Ac), 1.0 / 24.0}};
}

}  // namespace

std::vector<std::string> ButcherTable::problems() const {
  std::vector<std::string> list = shape_problems(*this);
  if (!list.empty()) return list;
  const Values sums = apply(*this, Values(b.size(), 1.0));
  bool row_sums = true;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::abs(c[i] - sums[i]) <= digits) continue;
    row_sums = false;
    if (free_nodes) continue;
    list.push_back("c_" + std::to_string(i + 1) + " = " + text(c[i]) + " differs from the sum of row " +
                   std::to_string(i + 1) + " of A by " + text(c[i] - sums[i]) + "; if this is meant, set free_nodes");
  }
  for (const OrderCondition& condition : order_conditions(*this)) {
    if (condition.order > order || (condition.order > 2 && !row_sums)) continue;
    double sum = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * condition.terms[i];
    if (std::abs(sum - condition.value) <= digits) continue;
    list.push_back("order " + std::to_string(order) + " needs " + condition.formula + " = " + text(condition.value) +
                   "; it is off by " + text(sum - condition.value) + " (write all digits, or state a lower order)");
  }
  return list;
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

double ButcherTable::real_stability_limit() const {
  const auto stable = [this](double z) { return std::abs(stability_function(-z)) <= 1.0; };
  double z = 0.0;
  while (z < 100.0 && stable(z + 1e-3)) z += 1e-3;
  double low = z;
  double high = z + 1e-3;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
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

}  // namespace sunlagrange
