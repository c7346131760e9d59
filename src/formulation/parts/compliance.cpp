#include "formulation/parts/compliance.hpp"

#include "formulation/parts/stabilization.hpp"
#include "linear_algebra/spd.hpp"
#include "gains/motion_scales.hpp"

namespace sunlagrange {

Compliance Compliance::from_gains(const FormulationInput& input, double relative_penalty) {
  const MechanicalSystem& s = *input.system;
  const int m = s.num_constraints();
  Compliance result;
  result.Lambda.asked = input.gains.Lambda;
  if (!input.gains.Lambda.automatic()) {
    const GainMatrix Lambda = result.Lambda.used = input.gains.Lambda.matrix(m, "Lambda", false);
    result.C = Lambda.is_diagonal() ? GainMatrix{Lambda.diagonal.cwiseInverse(), {}}
                                    : GainMatrix{{}, spd_solve(Lambda.full, Eigen::MatrixXd::Identity(m, m))};
    return result;
  }
  const auto w = s.make_workspace(Storage::sparse);
  result.C = GainMatrix::scalar(m, 1.0 / relative_penalty);
  if (s.evaluate(request::acceleration_level,
                 {input.start.t, input.start.q.data(), input.start.v.data(), nullptr, nullptr}, *w)) {
    const Eigen::VectorXd schur = lumped_schur_diagonal(*w);
    for (int i = 0; i < m; ++i) {
      if (schur[i] > 0.0) result.C.diagonal[i] = schur[i] / relative_penalty;
    }
  }
  result.Lambda.used.diagonal = result.C.diagonal.cwiseInverse();
  return result;
}

}  // namespace sunlagrange
