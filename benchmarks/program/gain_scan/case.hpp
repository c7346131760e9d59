// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <sunlagrange/base/figures.hpp>

#include "mechanisms/other_units.hpp"

/// One case of the gain scan: a mechanism in one unit system at one tolerance, automatic gains compared with a scan.
namespace sunlagrange::program {

/// One choice of gains, measured by five runs whose tolerances are those of the case times 0.8, 0.9, 1, 1.1 and 1.25.
/// The cost of a single run depends on accidental failures of its steps, so that the best single run of a scan would be
/// a lucky one.
struct GainRun {
  double omega = 0.0;
  bool finished = false;
  double violation = 0.0, cost = 0.0, spread = 0.0;
  bool singular = false;  ///< true if the constraints came near a loss of rank

  void describe(Figures& f) {
    f("omega", omega, "1/s", "K_D = 2 omega, K_P = omega^2, K_N = omega; 0: no stabilisation");
    f("finished", finished, "true if all five runs finished");
    f("violation", violation, "1", "largest of the five, each relative to the bound of its tolerance");
    f("cost", cost, "", "right-hand sides + Newton factorisations + 2 x Jacobians, median of the five");
    f("spread", spread, "1", "(largest - smallest of the five costs) / cost");
  }
};

/// Violations are the larger of max |g| / (30 ||G_g||_inf (rtol max|q| + atol)) and the same for psi with v.
struct GainCase {
  std::string mechanism, units;
  double rtol = 0.0, atol = 0.0, time = 0.0;
  GainRun automatic, zero, best;

  double cost_ratio() const { return best.finished ? automatic.cost / best.cost : 0.0; }
  bool held() const { return automatic.finished && automatic.violation <= 1.0 && cost_ratio() <= 1.25; }

  void describe(Figures& f) {
    f("mechanism", mechanism, "name");
    f("units", units, "unit system");
    f("rtol", rtol, "1", "relative tolerance");
    f("atol", atol, "absolute tolerance in these units");
    f("characteristic_time", time, "s", "|q| / |v| or sqrt(|q| / |a|) of the start, maximum norms, in SI units");
    f("automatic", automatic, "automatic gains");
    f("zero", zero, "no gains");
    f("best", best, "cheapest run of the scan, zero included, within the bound; not finished if there is none");
    f.derived("cost_ratio", cost_ratio(), "1", "cost of automatic gains over the best cost; 0 if there is none");
    f.derived("held", held(), "true if violation and cost of automatic gains are within their bounds");
  }
};

struct GainScanOptions {
  std::string formulation = "baumgarte";
  std::string integrator = "cvode_bdf";
  std::vector<double> rtols;
  std::vector<mechanisms::Units> units;
  double times = 10.0;      ///< length of the runs in characteristic times
  double per_octave = 1.0;  ///< number of scanned omegas for each factor 2, from 1/(64 T) to 64/T
};

/// A mechanism of the scan. `excluded` is the computed reason why it has no cases; empty if it has.
struct GainScanSubject {
  std::string name;
  mechanisms::Mechanism mechanism;
  std::string excluded;
  double time = 0.0;  ///< see GainCase
};

/// Excludes mechanisms that the formulation cannot treat, systems without constraints, redundant constraints, singular
/// configurations within the runs, and formulations without gains.
GainScanSubject prepare_subject(const std::string& name, const mechanisms::Mechanism& mechanism,
                                const GainScanOptions& options);

/// Thread-safe, because subjects are constant.
GainCase scan_case(const GainScanSubject& subject, const GainScanOptions& options, const mechanisms::Units& units,
                   double rtol);

}  // namespace sunlagrange::program
