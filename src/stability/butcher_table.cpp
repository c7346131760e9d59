#include <sunlagrange/stability/butcher_table.hpp>

#include <cmath>

namespace sunlagrange {

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
