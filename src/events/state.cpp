// SPDX-License-Identifier: BSD-3-Clause
#include "events/state.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include <sunlagrange/base/registry.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/base/status.hpp>
#include <sunlagrange/model/active_constraints.hpp>

#include "model/evaluation.hpp"

namespace sunlagrange::internal {

EventState::EventState(std::shared_ptr<const MechanicalSystem> full, const LinearSolverOptions& resolved)
    : full_(std::move(full)),
      active_(full_),
      law_(full_->motion_law()),
      on_(static_cast<std::size_t>(full_->num_constraints()), true),
      options_(resolved),
      q_(full_->num_positions()),
      v_(full_->num_positions()),
      a_(full_->num_positions()) {
  options_.rank_policy = RankPolicy::minimum_norm;
  for (int i = 0; i < full_->num_constraints(); ++i) rows_.push_back(i);
}

void EventState::set_active(const std::vector<int>& rows, bool on) {
  for (const int row : rows) on_[static_cast<std::size_t>(row)] = on;
  std::vector<int> off;
  rows_.clear();
  for (int i = 0; i < full_->num_constraints(); ++i) (is_active(i) ? rows_ : off).push_back(i);
  active_ = without_constraint_rows(full_, off);
  saddle_.reset();
  motion_known_ = determined_known_ = false;
}

std::shared_ptr<const MechanicalSystem> EventState::active_and(int row) const {
  std::vector<int> off;
  for (int i = 0; i < full_->num_constraints(); ++i) {
    if (!is_active(i) && i != row) off.push_back(i);
  }
  return without_constraint_rows(full_, off);
}

const std::vector<int>& EventState::rows_of(const std::string& constraint) {
  const auto known = names_.find(constraint);
  if (known != names_.end()) return known->second;
  return names_.emplace(constraint, find_constraint_rows(*full_, {constraint}, "")).first->second;
}

int EventState::row_of(const std::string& constraint) {
  const std::vector<int>& rows = rows_of(constraint);
  if (rows.size() == 1) return rows.front();
  throw Error("event: \"" + constraint + "\" has " + std::to_string(rows.size()) +
              " rows where one is meant; name the row, e.g. \"" + full_->constraint_name(rows.front()) + "\"");
}

double& EventState::input(const std::string& name) {
  const std::vector<std::string> none;
  const std::vector<std::string>& names = inputs_ != nullptr ? inputs_->names() : none;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return (*inputs_->values())[static_cast<std::size_t>(found - names.begin())];
  if (inputs_ == nullptr)
    throw Error("event: input \"" + name + "\": this analysis reads and sets no inputs; simulate() does");
  if (!names.empty()) throw_unknown("input", name, {names.begin(), names.end()});
  throw Error("event: input \"" + name + "\": the system has no inputs; give an element an Input as its law");
}

void EventState::move_to(double t, const double* q, const double* v) {
  const int n = full_->num_positions();
  t_ = t;
  q_ = Eigen::Map<const Eigen::VectorXd>(q, n);
  v_ = Eigen::Map<const Eigen::VectorXd>(v, n);
  rows_known_ = motion_known_ = false;
}

void EventState::set_velocity(const Eigen::VectorXd& v) {
  v_ = v;
  rows_known_ = motion_known_ = false;
}

/// Made at its first use: most runs have no events.
Workspace& EventState::all() {
  if (all_ == nullptr) all_ = make_workspace(*full_, Storage::sparse);
  return *all_;
}

void EventState::evaluate_rows() {
  if (rows_known_) return;
  if (!evaluate_system(*full_, request::jacobian, {t_, q_.data(), v_.data(), nullptr, nullptr}, all())) {
    throw std::runtime_error("the model declines the point of an event at t = " + text(t_));
  }
  rows_known_ = true;
}

void EventState::evaluate_motion() {
  if (motion_known_) return;
  if (saddle_ == nullptr) {
    evaluator_ = std::make_unique<PointEvaluator>(evaluator_for(active_, options_));
    saddle_ = std::make_unique<SaddlePointSystem>(*evaluator_, options_);
  }
  lambda_.resize(active_->num_constraints());
  const Workspace* at = evaluator_->at(t_, q_.data(), v_.data());
  EvaluationResult e = saddle_->factorize(at);
  if (e == EvaluationResult::declined)
    throw std::runtime_error("the model declines the point of an event at t = " + text(t_));
  a_.setZero();  // of a program: nothing asks for them
  if (e == EvaluationResult::ok) e = saddle_->complete(*at, v_.data(), a_.data(), lambda_.data());
  if (e != EvaluationResult::ok) {
    a_.setConstant(NAN);
    lambda_.setConstant(NAN);
  }
  const Workspace& w = *at;
  inertia_.setZero(a_.size());
  inertia_ += w.M * a_;
  const Eigen::VectorXd& s = full_->natural_scales();
  force_scale_ = inertia_.cwiseProduct(s).lpNorm<Eigen::Infinity>();
  for (Eigen::Index j = 0; j < w.f.size(); ++j) force_scale_ = std::max(force_scale_, std::abs(w.f[j]) * s[j]);
  motion_known_ = true;
}

double EventState::gap(int row) {
  if (row >= full_->num_position_constraints()) {
    throw Error("event: \"" + full_->constraint_name(row) + "\" is a velocity constraint and has no gap");
  }
  evaluate_rows();
  return all_->g[row];
}

double EventState::rate(int row) {
  evaluate_rows();
  return all_->g_rate[row];
}

/// The magnitudes of the entries of a row of G in natural scales, combined.
template <class Combine>
double EventState::over_gradient(int row, Combine&& combine) {
  evaluate_rows();
  double result = 0.0;
  all_->G.for_each_entry([&](int i, int j, double entry) {
    if (i == row) result = combine(result, std::abs(entry) * full_->natural_scales()[j]);
  });
  return result;
}

double EventState::gradient_sum(int row) {
  return over_gradient(row, std::plus<>());
}

double EventState::multiplier(int row) {
  if (!is_active(row)) return 0.0;
  evaluate_motion();
  if (!determined(row)) undetermined_.insert(row);
  return lambda_[std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin()];
}

/// The rows that depend on others are taken to do so at all points at which the same rows are active.
bool EventState::determined(int row) {
  if (!law_.has_forces) return true;
  if (!determined_known_) find_determined_rows();
  return determined_[static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin())];
}

void EventState::find_determined_rows() {
  determined_known_ = true;
  determined_.assign(rows_.size(), true);
  const Eigen::VectorXd free_direction = saddle_->undetermined_multipliers(evaluator_->quantities());
  if (free_direction.size() == 0) return;
  evaluate_rows();
  Eigen::VectorXd square = Eigen::VectorXd::Zero(full_->num_constraints());
  all_->G.for_each_entry([&](int i, int, double entry) { square[i] += entry * entry; });
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const double size = std::abs(free_direction[static_cast<Eigen::Index>(k)]) * std::sqrt(square[rows_[k]]);
    determined_[k] = size <= SaddlePointSystem::undetermined_above;
  }
}

double EventState::typical_multiplier(int row) {
  evaluate_motion();
  const double entry = over_gradient(row, [](double a, double b) { return std::max(a, b); });
  return entry > 0.0 ? force_scale_ / entry : force_scale_;
}

double EventState::acceleration(int row) {
  evaluate_rows();
  evaluate_motion();
  double sum = -all_->gamma[row];
  for (int j = 0; j < a_.size(); ++j) sum += all_->G(row, j) * a_[j];
  return sum;
}

double EventState::acceleration_noise(int row) {
  evaluate_rows();
  evaluate_motion();
  return 1e-9 * (gradient_sum(row) * natural_size(*full_, a_) + std::abs(all_->gamma[row]));
}

double EventState::rate_noise(int row) {
  return 1e-12 * gradient_sum(row) * natural_size(*full_, v_);
}

double EventState::kinetic_energy() {
  evaluate_system(*full_, request::mass, {t_, q_.data(), v_.data(), nullptr, nullptr}, all());
  return law_.has_forces ? 0.5 * v_.dot(all_->M.times(v_)) : NAN;
}

double EventState::energy() {
  if (!full_->energy_known()) return NAN;
  evaluate_system(*full_, request::energy, {t_, q_.data(), v_.data(), nullptr, nullptr}, all());
  return all_->energy;
}

double EventState::largest_active_rate() {
  Eigen::VectorXd rates(static_cast<Eigen::Index>(rows_.size()));
  for (std::size_t k = 0; k < rows_.size(); ++k) rates[static_cast<Eigen::Index>(k)] = rate(rows_[k]);
  return law_.velocity_violation(rates);
}

}  // namespace sunlagrange::internal
