// SPDX-License-Identifier: BSD-3-Clause
#include <sunlagrange/consistency/redundancy.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <sunlagrange/base/figures.hpp>
#include <sunlagrange/base/setting.hpp>
#include <sunlagrange/consistency/consistent_state.hpp>

#include "base/problems.hpp"
#include "consistency/constraint_rows.hpp"
#include "linear_algebra/decompositions.hpp"
#include "linear_algebra/parts.hpp"
#include "linear_solver/rank/jacobian_scales.hpp"
#include "linear_solver/rank/rank_threshold.hpp"
#include "model/checks/required_system.hpp"
#include "model/natural_scales.hpp"
#include "model/row_forces.hpp"

namespace sunlagrange {

using namespace internal;
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double least_share = 0.01;
constexpr double noise = 1e-9;  // a motion with a smaller relative velocity counts as rest, a smaller part as zero

/// One analysis. The steps stand in the order in which they run.
class Analysis {
 public:
  Analysis(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q, const VectorXd& v,
           const RedundancyOptions& options)
      : system_(system),
        options_(options),
        t_(t),
        q_(q),
        v_(v),
        evaluate_(*system),
        threshold_(rank_threshold_for(system->num_constraints(), options.rank_threshold)),
        scales_(evaluate_.jacobian()) {}

  RedundancyReport run() {
    const int m = system_->num_constraints();
    report_.rows = m;
    report_.unique_multipliers.assign(static_cast<std::size_t>(m), true);
    for (int i = 0; i < m; ++i) report_.constraint_names.push_back(system_->constraint_name(i));
    report_.degrees_of_freedom = system_->num_positions();
    if (!evaluate_(t_, q_, v_, here_)) {
      report_.status = {Outcome::model_error,
                        "the model declines the point at t = " + text(t_) + " or returns values that are not finite"};
      return report_;
    }
    if (m == 0) return report_;
    visit_nearby();
    find_scales();
    const Decomposition d(scaled(here_), threshold_);
    report_.rank = d.rank;
    report_.redundant = m - d.rank;
    report_.degrees_of_freedom -= d.rank;
    report_.singular_values = d.values;
    report_.largest_singular_value = d.values[0];
    report_.smallest_singular_value = d.values[m - 1];
    if (report_.redundant > 0) describe(d);
    return report_;
  }

 private:
  // ---- nearby configurations

  void visit_nearby() {
    if (v_.squaredNorm() > 0.0) visit_along({t_, q_, v_}, {1.0});
    std::mt19937 random(options_.seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    bool moves = v_.squaredNorm() > 0.0;
    for (int k = 0; k < options_.motions; ++k) {
      VectorXd guess = here_.speed;
      for (double& x : guess) x *= uniform(random);
      const ConsistentState start = consistent_state(system_, {t_, q_, guess});
      if (!start.report.feasible || !start.report.velocities_feasible) {
        moves = true;  // not known
        continue;
      }
      if (start.state.v.cwiseQuotient(here_.speed).norm() < noise * guess.cwiseQuotient(here_.speed).norm()) continue;
      moves = true;
      visit_along({t_, start.state.q, start.state.v}, {1.0, -1.0});
    }
    report_.immobile = options_.motions > 0 && !moves;
    report_.nearby = static_cast<int>(nearby_.size());
  }

  void visit_along(const InitialState& from, const std::vector<double>& directions) {
    const double size = natural_size(*system_, from.q);
    const double h = options_.move * (size > 0.0 ? size : 1.0) / natural_size(*system_, from.v);
    for (const double sign : directions) {
      const ConsistentState there = consistent_state(system_, {from.t + sign * h, from.q + sign * h * from.v, from.v});
      ConstraintRows rows;
      if (there.report.feasible && evaluate_(there.state.t, there.state.q, there.state.v, rows))
        nearby_.push_back(std::move(rows));
    }
  }

  /// Scales by the largest entries of G, here and nearby; a row that is zero everywhere stays zero.
  void find_scales() {
    VectorXd most = here_.G.cwiseAbs();
    for (const ConstraintRows& rows : nearby_) most = most.cwiseMax(rows.G.cwiseAbs());
    scales_.balance(most.data(), here_.speed);
  }
  MatrixXd scaled(const ConstraintRows& rows) const { return scales_.balanced(rows.G.data()); }

  // ---- redundant rows

  void describe(const Decomposition& d) {
    const Eigen::Index s = d.null.cols();
    const double cut = d.cut();
    for (Eigen::Index i = 0; i < d.null.rows(); ++i)
      report_.unique_multipliers[static_cast<std::size_t>(i)] = d.null.row(i).norm() <= cut;
    std::vector<int> removed = removable_rows(d.null, s);
    std::sort(removed.begin(), removed.end());
    std::vector<int> kept;
    for (int i = 0; i < report_.rows; ++i) {
      if (!std::binary_search(removed.begin(), removed.end(), i)) kept.push_back(i);
    }
    const MatrixXd RGD = scaled(here_);
    const MatrixXd C = -solve_full_pivoting(rows_of(d.null, removed).transpose(), rows_of(d.null, kept).transpose());
    const MatrixXd left = rows_of(RGD, removed) - C * rows_of(RGD, kept);
    for (std::size_t k = 0; k < removed.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      const Eigen::RowVectorXd by_kept = kept.empty() ? Eigen::RowVectorXd() : Eigen::RowVectorXd(C.row(row));
      report_.dependent.push_back(
          {removed[k], name(removed[k]), relation(removed[k], by_kept, kept, cut), left.row(row).norm(), false});
    }
    form_groups();
    classify(d, kept, removed);
  }

  /// Rows that exert no force, such as the norm of Euler parameters, are kept as long as others can be removed: without
  /// them the coordinates mean something else.
  std::vector<int> removable_rows(const MatrixXd& null, Eigen::Index count) const {
    MatrixXd exerting = null;
    const std::vector<bool>& kinematic = row_forces(*system_)->kinematic();
    for (Eigen::Index i = 0; i < null.rows(); ++i) {
      if (kinematic[static_cast<std::size_t>(i)]) exerting.row(i).setZero();
    }
    const bool enough = singular_values(exerting).values[count - 1] > noise;
    return pivoted_rows(enough ? exerting : null, count, true);
  }

  const std::string& name(int row) const { return system_->constraint_name(row); }

  /// Returns the relation, largest share first; coefficients have the units of the rows.
  std::vector<RelationTerm> relation(int row, const Eigen::RowVectorXd& scaled, const std::vector<int>& kept,
                                     double cut) const {
    std::vector<std::pair<double, RelationTerm>> terms;
    for (std::size_t j = 0; j < kept.size(); ++j) {
      const double c = scaled[static_cast<Eigen::Index>(j)];
      if (std::abs(c) > cut)
        terms.push_back({std::abs(c), {kept[j], name(kept[j]), c * scales_.rows()[kept[j]] / scales_.rows()[row]}});
    }
    std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<RelationTerm> list;
    for (auto& term : terms) list.push_back(std::move(term.second));
    return list;
  }

  /// Finds the sets of rows that relations connect.
  void form_groups() {
    Parts connected(report_.rows);
    std::vector<bool> member(static_cast<std::size_t>(report_.rows), false);
    for (const DependentConstraint& d : report_.dependent) {
      member[static_cast<std::size_t>(d.row)] = true;
      for (const RelationTerm& term : d.relation) {
        member[static_cast<std::size_t>(term.row)] = true;
        connected.unite(d.row, term.row);
      }
    }
    for (std::vector<int>& group : connected.members()) {
      if (member[static_cast<std::size_t>(group.front())]) report_.groups.push_back(std::move(group));
    }
  }

  /// Returns the nearby configuration of highest rank; of equal ones the one farthest from losing rank.
  const ConstraintRows& best_nearby() const {
    const ConstraintRows* best = nullptr;
    std::pair<int, double> quality{-1, 0.0};
    for (const ConstraintRows& rows : nearby_) {
      const Decomposition d(scaled(rows), threshold_);
      const std::pair<int, double> candidate{d.rank, d.rank > 0 ? d.values[d.rank - 1] : 0.0};
      if (best != nullptr && !(quality < candidate)) continue;
      best = &rows;
      quality = candidate;
    }
    return *best;
  }

  /// Rows that are independent nearby are lost only here; the others are permanently redundant.
  void classify(const Decomposition& here, const std::vector<int>& kept, const std::vector<int>& removed) {
    if (nearby_.empty()) {
      if (report_.immobile) {
        report_.permanent = report_.redundant;
        for (DependentConstraint& d : report_.dependent) d.permanent = true;
      } else {
        describe_lost(here, here.null);
      }
      return;
    }
    const ConstraintRows& best = best_nearby();
    const Decomposition there(scaled(best), threshold_);
    const int restored = std::max(0, there.rank - here.rank);
    report_.permanent = report_.redundant - restored;
    const MatrixXd RGD = scaled(best);
    MatrixXd rest = rows_of(RGD, removed);  // parts that the other rows do not span
    if (!kept.empty()) {
      const MatrixXd K = rows_of(RGD, kept).transpose();
      const MatrixXd Q = orthonormal_columns(K);
      for (int pass = 0; pass < 2; ++pass) rest -= (rest * Q).eval() * Q.transpose();
    }
    for (DependentConstraint& d : report_.dependent) d.permanent = true;
    for (const int k : pivoted_rows(rest, restored, false))
      report_.dependent[static_cast<std::size_t>(k)].permanent = false;
    if (restored == 0) return;
    // null vectors here that are not null vectors nearby
    const MatrixXd common = here.null.transpose() * there.null;
    const MatrixXd basis = common.cols() == 0 ? MatrixXd(MatrixXd::Identity(here.null.cols(), here.null.cols()))
                                              : orthogonal_completion(common);
    describe_lost(here, here.null * basis.rightCols(restored));
  }

  void describe_lost(const Decomposition& here, const MatrixXd& directions) {
    const MatrixXd RGD = scaled(here_);
    for (Eigen::Index k = 0; k < directions.cols(); ++k) {
      LostDirection lost;
      const VectorXd u = directions.col(k);
      const double largest = here.values[0];
      lost.singular_value = largest > 0.0 ? (RGD.transpose() * u).norm() / largest : 0.0;
      for (Eigen::Index i = 0; i < u.size(); ++i) {
        if (u[i] * u[i] >= least_share)
          lost.shares.push_back({static_cast<int>(i), name(static_cast<int>(i)), u[i] * u[i]});
      }
      std::stable_sort(lost.shares.begin(), lost.shares.end(),
                       [](const ConstraintShare& a, const ConstraintShare& b) { return a.share > b.share; });
      report_.lost.push_back(std::move(lost));
    }
  }

  std::shared_ptr<const MechanicalSystem> system_;
  RedundancyOptions options_;
  double t_;
  VectorXd q_, v_;
  RowEvaluator evaluate_;
  double threshold_;
  JacobianScales scales_;
  ConstraintRows here_;
  std::vector<ConstraintRows> nearby_;
  RedundancyReport report_;
};

void check(const MechanicalSystem& system, double t, const VectorXd& q, const VectorXd& v, const RedundancyOptions& o) {
  Problems problems("analyse_redundancy: ");
  const auto vector = [&](const std::string& field, const VectorXd& x) {
    problems.require(x.size() == system.num_positions(), field + " has " + std::to_string(x.size()) +
                                                             " entries, the system has " +
                                                             std::to_string(system.num_positions()) + " positions");
    problems.require(x.allFinite(), field + " contains a value that is not finite");
  };
  vector("q", q);
  vector("v", v);
  problems.require(std::isfinite(t), "t is not finite");
  problems.require(o.rank_threshold > 0.0 && o.rank_threshold < 1.0,
                   "rank_threshold = " + text(o.rank_threshold) + ": must be in (0, 1)");
  problems.require(o.move > 0.0 && std::isfinite(o.move), "move = " + text(o.move) + ": must be positive");
  problems.require(o.motions >= 0, "motions = " + std::to_string(o.motions) + ": must not be negative");
  problems.throw_if_any();
}

}  // namespace

RedundancyReport analyse_redundancy(const std::shared_ptr<const MechanicalSystem>& system, double t, const VectorXd& q,
                                    const VectorXd& v, const RedundancyOptions& options) {
  require_system(system, "analyse_redundancy");
  const VectorXd velocity = v.size() == 0 ? VectorXd(VectorXd::Zero(system->num_positions())) : v;
  check(*system, t, q, velocity, options);
  return Analysis(system, t, q, velocity, options).run();
}

void RelationTerm::describe(Figures& f) {
  f("constraint", constraint, "row of the term");
  f("coefficient", coefficient, "units of the rows", "factor of that row");
}

void ConstraintShare::describe(Figures& f) {
  f("constraint", constraint, "row");
  f.not_negative("share", share, "1", "share of the row in the direction, squared and scaled");
}

void LostDirection::describe(Figures& f) {
  f.not_negative("singular_value", singular_value, "1", "singular value relative to the largest");
  f.keyed("shares", shares, "constraint", "shares of the rows, largest first; below 1 % left out");
}

namespace {

/// Describes a dependent row, and whether it is permanent if that is known.
struct DescribedDependence {
  DependentConstraint* row = nullptr;
  std::optional<bool> permanent;

  void describe(Figures& f) {
    DependentConstraint none, &it = row != nullptr ? *row : none;
    f("constraint", it.constraint, "row that depends on others");
    f.keyed("relation", it.relation, "constraint", "rows whose combination it is; empty if its gradient vanishes");
    f.not_negative("remainder", it.remainder, "1", "relative remainder of the combination, rounding if it is exact");
    f("permanent", permanent, "true if the row depends on others at nearby configurations too; none if not known");
  }
};

}  // namespace

void RedundancyReport::describe(Figures& f) {
  status.describe(f);
  f.count("rows", rows, "number of constraint rows, m");
  f.count("rank", rank, "rank of G");
  f.count("redundant", redundant, "m - rank");
  f.derived("permanent", permanence_known() ? std::optional<int>(permanent) : std::nullopt,
            "redundant rows that are redundant at nearby configurations as well; none if that is not known");
  f.count("degrees_of_freedom", degrees_of_freedom, "n - rank: instantaneous degrees of freedom");
  f.count("nearby", nearby, "nearby configurations that were reached");
  f("immobile", immobile, "true if no motion is possible");
  f("singular_values", singular_values, "1", "singular values of the scaled G, descending");
  f.not_negative("largest_singular_value", largest_singular_value, "1", "largest singular value of the scaled G");
  f.not_negative("smallest_singular_value", smallest_singular_value, "1", "smallest singular value of the scaled G");
  f("constraint_names", constraint_names, "names of all rows");
  std::vector<DescribedDependence> described;
  for (DependentConstraint& row : dependent)
    described.push_back({&row, permanence_known() ? std::optional<bool>(row.permanent) : std::nullopt});
  f.derived("dependent", std::move(described), "rows that depend on others");
  f("unique_multipliers", unique_multipliers, "of each row, true if the motion determines its multiplier");
  f("groups", groups, "numbers of the rows that share a relation; inside a group multipliers are not unique");
  f("lost", lost, "combinations of rows that constrain nearby configurations but not this one");
  f.derived("text", text(), "explanation in words");
}

}  // namespace sunlagrange
