#pragma once

#include <string>
#include <vector>

#include "mechanisms/other_units.hpp"

/// One case of the gain scan: a mechanism in one unit system at one tolerance, automatic gains compared with a scan.
namespace sunlagrange::program {

/// One choice of gains, measured by five runs whose tolerances are those of the case times 0.8, 0.9, 1, 1.1 and 1.25.
/// The cost of a single run depends on accidental failures of its steps, so that the best single run of a scan would be
/// a lucky one.
struct GainRun {
  double omega = 0.0;      ///< K_D = 2 omega, K_P = omega^2, K_N = omega [1/s]; 0: no stabilisation
  bool finished = false;   ///< true if all five runs finished
  double violation = 0.0;  ///< largest of the five, each relative to the bound of its tolerance, see GainCase
  double cost = 0.0;       ///< right-hand sides + Newton factorisations + 2 x Jacobians, median of the five
  double spread = 0.0;     ///< (largest - smallest of the five costs) / cost
  bool singular = false;   ///< true if the constraints came near a loss of rank
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
  /// Cheapest run of the scan, which includes omega = 0, that finished within the bound; finished is false if there is
  /// none.
  GainRun best;

  double cost_ratio() const { return best.finished ? automatic.cost / best.cost : 0.0; }
  bool held() const { return automatic.finished && automatic.violation <= 1.0 && cost_ratio() <= 1.25; }
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
