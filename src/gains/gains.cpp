// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/gains/gains.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>

#include "linear_algebra/spd.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

std::vector<double> row_by_row(const Eigen::MatrixXd& matrix) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) values.push_back(matrix(i, j));
  }
  return values;
}

void require_spd(const Eigen::MatrixXd& matrix, const std::string& field) {
  if (!is_spd(matrix)) {
    throw Error("gains: " + field + " is not a symmetric positive definite matrix");
  }
}

}  // namespace

Gain::Gain(double value) : values_{value} {}
Gain::Gain(std::vector<double> values) : values_(std::move(values)) {}
Gain::Gain(const Eigen::MatrixXd& matrix) : values_(row_by_row(matrix)) {}

GainMatrix Gain::matrix(int m, const std::string& field, bool allow_zero) const {
  const int count = static_cast<int>(values_.size());
  const std::string relation = allow_zero ? "must not be negative" : "must be positive";
  for (const double x : values_) {
    if (!std::isfinite(x)) throw Error("gains: " + field + " = " + text() + " contains a value that is not finite");
  }
  GainMatrix result;
  if (count == 1 || count == m) {
    result.diagonal.resize(m);
    for (int i = 0; i < m; ++i) {
      const double x = values_[static_cast<std::size_t>(count == 1 ? 0 : i)];
      if (x < 0.0 || (x == 0.0 && !allow_zero)) {
        throw Error("gains: " + field + " = " + text() + ": entry " + std::to_string(i + 1) + " is " +
                    sunlagrange::text(x) + ", " + relation + " (the matrix must be symmetric positive definite)");
      }
      result.diagonal[i] = x;
    }
    return result;
  }
  if (count != m * m) {
    const std::string fitting =
        m == 1 ? "1 value" : "1, " + std::to_string(m) + " or " + std::to_string(m * m) + " values";
    throw Error("gains: " + field + " has " + std::to_string(count) + " values; the system has " + std::to_string(m) +
                (m == 1 ? " row" : " rows") + " there, so give " + fitting);
  }
  result.full.resize(m, m);
  for (int k = 0; k < count; ++k) result.full(k / m, k % m) = values_[static_cast<std::size_t>(k)];
  if (!product_of_spd_ && !is_spd(result.full)) {
    throw Error("gains: " + field + " = " + text() +
                " is not symmetric positive definite; the stability proof [000, (18)-(19)] needs that");
  }
  return result;
}

std::string Gain::text() const {
  if (automatic()) return "automatic";
  constexpr std::size_t longest_list = 9;
  const std::string count = std::to_string(values_.size());
  const auto as_the_first = [this](double x) { return sunlagrange::text(x) == sunlagrange::text(values_.front()); };
  if (values_.size() > longest_list && std::all_of(values_.begin(), values_.end(), as_the_first))
    return sunlagrange::text(values_.front()) + " (each of " + count + ")";
  std::string out;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (k + 1 == longest_list && values_.size() > longest_list) return out + ",... (" + count + " values)";
    out += (k == 0 ? "" : ",") + sunlagrange::text(values_[k]);
  }
  return out;
}

Gain Gain::restricted(int m, const std::vector<int>& rows) const {
  const auto size = static_cast<std::size_t>(m);
  Gain result = *this;
  if (values_.size() <= 1) return result;
  result.values_.clear();
  for (const int i : rows) {
    const auto row = static_cast<std::size_t>(i);
    if (values_.size() == size) {
      result.values_.push_back(values_[row]);
      continue;
    }
    for (const int j : rows) result.values_.push_back(values_[row * size + static_cast<std::size_t>(j)]);
  }
  return result;
}

Gains Gains::restricted(int m_g, int m_psi, const std::vector<int>& rows) const {
  std::vector<int> g_rows;
  std::vector<int> psi_rows;
  for (const int row : rows) {
    if (row < m_g)
      g_rows.push_back(row);
    else
      psi_rows.push_back(row - m_g);
  }
  return {K_D.restricted(m_g, g_rows), K_P.restricted(m_g, g_rows), K_N.restricted(m_psi, psi_rows),
          Lambda.restricted(m_g + m_psi, rows)};
}

Gains Gains::critically_damped(const std::vector<double>& k) {
  std::vector<double> damping;
  std::vector<double> stiffness;
  for (const double x : k) {
    damping.push_back(2.0 * x);
    stiffness.push_back(x * x);
  }
  Gains gains;
  gains.K_D = Gain(std::move(damping));
  gains.K_P = Gain(std::move(stiffness));
  return gains;
}

Gains Gains::natural_frequency(double omega, double zeta) {
  Gains gains;
  gains.K_D = Gain(2.0 * zeta * omega);
  gains.K_P = Gain(omega * omega);
  return gains;
}

Gains Gains::from_excess_energy(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& stiffness,
                                const Eigen::MatrixXd& damping) {
  require_spd(mass, "excess mass");
  require_spd(stiffness, "excess stiffness");
  require_spd(damping, "excess damping");
  if (mass.rows() != stiffness.rows() || mass.rows() != damping.rows()) {
    throw Error("gains: excess mass, stiffness and damping must have the same size");
  }
  Gains gains;
  gains.K_D = Gain(spd_solve(mass, damping));
  gains.K_P = Gain(spd_solve(mass, stiffness));
  gains.K_D.product_of_spd_ = gains.K_P.product_of_spd_ = true;
  gains.Lambda = Gain(mass);
  return gains;
}

Gains Gains::parse(const std::string& text) {
  Gains gains;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    Gain* target = key == "K_D"      ? &gains.K_D
                   : key == "K_P"    ? &gains.K_P
                   : key == "K_N"    ? &gains.K_N
                   : key == "Lambda" ? &gains.Lambda
                                     : nullptr;
    if (target == nullptr || equals == std::string::npos) {
      throw Error("gains: \"" + part + "\" is not one of K_D=..., K_P=..., K_N=..., Lambda=...");
    }
    if (!target->automatic()) throw Error("gains: " + key + " is given twice in \"" + text + "\"; give it once");
    std::vector<double> values;
    std::istringstream numbers(part.substr(equals + 1));
    for (std::string item; std::getline(numbers, item, ',');) {
      std::size_t used = 0;
      double value = 0.0;
      try {
        value = std::stod(item, &used);
      } catch (const std::exception&) {
        used = 0;
      }
      if (used == 0 || used != item.size()) throw Error("gains: \"" + item + "\" in \"" + part + "\" is not a number");
      values.push_back(value);
    }
    if (values.empty()) throw Error("gains: " + key + " has no values");
    *target = Gain(std::move(values));
  }
  return gains;
}

}  // namespace sunlagrange
