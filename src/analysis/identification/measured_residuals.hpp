// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <Eigen/Core>

#include <sunlagrange/analysis/identify.hpp>
#include <sunlagrange/analysis/sensitivities.hpp>

#include "results/motion_output.hpp"

namespace sunlagrange::internal {

/// A parameter or start value that is estimated.
struct Unknown {
  enum class Kind { parameter, position, velocity };
  Kind kind = Kind::parameter;
  SystemParameter about;
  double size = 1.0;
  int coordinate = -1;
};

/// The normalised residuals of identify() as functions of the unknowns, each divided by its size.
class MeasuredResiduals {
 public:
  /// @throws Error as identify()
  /// @param measurements  must outlive this object
  MeasuredResiduals(const std::shared_ptr<const MechanicalSystem>& system, const InitialState& start,
                    const std::vector<Measurement>& measurements, const SimulationOptions& options,
                    const IdentificationOptions& wanted);

  Eigen::Index count() const { return count_; }
  const std::vector<Unknown>& unknowns() const { return unknowns_; }

  Eigen::VectorXd guess() const;
  std::shared_ptr<const MechanicalSystem> system_at(const Eigen::VectorXd& x) const;
  InitialState start_at(const Eigen::VectorXd& x) const;
  double value(const Eigen::VectorXd& x, Eigen::Index i) const { return x[i] * unknown(i).size; }

  /// Integrates to the last measurement, unless x is that of the last call. Returns false if that fails; see status().
  bool evaluate(const Eigen::VectorXd& x);

  const Eigen::VectorXd& residual() const { return residual_; }
  const Eigen::MatrixXd& jacobian() const { return jacobian_; }  ///< derivatives by x
  const Status& status() const { return status_; }
  int runs() const { return runs_; }

  /// Returns the norm of (model / deviation) with the largest value of each output; errors of integration are rtol
  /// times this.
  double size() const { return size_; }

  std::vector<Fit> fits() const;

  /// Returns the unit of the tolerances of measurement k: the natural scale of the coordinate, or 1 for multipliers.
  double natural_scale(std::size_t k) const;

 private:
  const Unknown& unknown(Eigen::Index i) const { return unknowns_[static_cast<std::size_t>(i)]; }
  void add_unknown(Unknown unknown);
  void list_unknowns();
  void check() const;
  void store(const std::vector<SensitivityPoint>& points);

  std::shared_ptr<const MechanicalSystem> system_;
  InitialState start_;
  const std::vector<Measurement>& measurements_;
  SimulationOptions options_;
  SensitivityOptions requested_;
  std::vector<Unknown> unknowns_;
  std::vector<MotionOutput> outputs_;
  Eigen::Index count_ = 0;
  Eigen::VectorXd x_, residual_;
  Eigen::MatrixXd jacobian_;
  Status status_;
  double size_ = 0.0;
  int runs_ = 0;
};

}  // namespace sunlagrange::internal
