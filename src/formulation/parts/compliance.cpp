#include "formulation/parts/compliance.hpp"

#include "formulation/parts/stabilization.hpp"
#include "linear_algebra/spd.hpp"
#include "gains/motion_scales.hpp"

namespace sunlagrange {

Compliance Compliance::from_gains(const FormulationInput& input, double relative_penalty) {
  const MechanicalSystem& s = *input.system;
  const int m = s.num_constraints();
  Compliance result;
  if (!input.gains.Lambda.automatic()) {
    result.C = spd_inverse(input.gains.Lambda.matrix(m, "Lambda", false));
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
  if (m > 0) {
    result.smallest = 1.0 / result.C.diagonal.maxCoeff();
    result.largest = 1.0 / result.C.diagonal.minCoeff();
  }
  return result;
}

Setting Compliance::setting(const Gain& asked) const {
  return gain_setting("Lambda", asked, text(smallest) + " ... " + text(largest));
}

}  // namespace sunlagrange
