#pragma once

#include <string>
#include <vector>

#include "mechanisms/other_units.hpp"

/// One case of the gain scan: a mechanism in one unit system at one tolerance, automatic gains against a scan by hand.
namespace sunlagrange::program {

/// One choice of gains, measured by five runs whose tolerances are those of the case times 0.8, 0.9, 1, 1.1 and 1.25:
/// the cost of a single run depends on which of its steps happen to fail, and the best of a scan over single runs is
/// the luckiest of them.
struct GainRun {
  double omega = 0.0;      ///< K_D = 2 omega, K_P = omega^2, K_N = omega [1/s]; 0: no stabilisation
  bool finished = false;   ///< all five
  double violation = 0.0;  ///< largest of the five, each against the bound of its own tolerance, see GainCase
  double cost = 0.0;       ///< right-hand sides + Newton factorisations + 2 x Jacobians, median of the five
  double spread = 0.0;     ///< (dearest - cheapest of the five) / cost
  bool singular = false;   ///< the constraints came near a loss of rank on the way
};

struct GainCase {
  std::string mechanism;
  std::string units;
  double rtol = 0.0;
  double atol = 0.0;
  double time = 0.0;  ///< characteristic time of the start: |q| / |v| or sqrt(|q| / |a|), maximum norms, in SI [s]

  /// Violations are the larger of max |g| / (30 ||G_g||_inf (rtol max|q| + atol)) and the same for psi with v.
  GainRun automatic;
  GainRun zero;
  GainRun best;  ///< cheapest of the scan that finished within the bound; omega 0 belongs to the scan; else finished =
                 ///< false

  double cost_ratio() const { return best.finished ? automatic.cost / best.cost : 0.0; }
  bool held() const { return automatic.finished && automatic.violation <= 1.0 && cost_ratio() <= 1.25; }
};

struct GainScanOptions {
  std::string formulation = "baumgarte";
  std::string integrator = "cvode_bdf";
  std::vector<double> rtols;
  std::vector<mechanisms::Units> units;
  double times = 10.0;      ///< length of the runs in characteristic times
  double per_octave = 1.0;  ///< scanned omegas for each factor 2, from 1/(64 T) to 64/T
};

/// A mechanism of the scan. `excluded` is empty or says why it has no cases; every reason is found by computation.
struct GainScanSubject {
  std::string name;
  mechanisms::Mechanism mechanism;
  std::string excluded;
  double time = 0.0;  ///< see GainCase
};

/// Left out: what the formulation cannot treat, systems without constraints, redundant constraints, singular
/// configurations within the runs, formulations without gains.
GainScanSubject prepare_subject(const std::string& name, const mechanisms::Mechanism& mechanism,
                                const GainScanOptions& options);

/// Thread-safe: subjects are only read.
GainCase scan_case(const GainScanSubject& subject, const GainScanOptions& options, const mechanisms::Units& units,
                   double rtol);

}  // namespace sunlagrange::program
