#include "formulation/parts/compliance.hpp"

#include "gains/row_inertia.hpp"
#include "linear_algebra/spd.hpp"

namespace sunlagrange::internal {

Compliance automatic_compliance(FormulationInput input, double relative_penalty) {
  input.gains.Lambda = Gain();
  return compliance(input, relative_penalty);
}

Compliance compliance(const FormulationInput& input, double relative_penalty) {
  const Gain& Lambda = input.gains.Lambda;
<<<<<<< HEAD
  const int m = s.num_constraints();
  if (!Lambda.automatic()) {
    const GainMatrix given = Lambda.matrix(m, "Lambda", false);
    return {spd_inverse(given), UsedGain{Lambda, given}};
  }
  Compliance result;
  result.C = GainMatrix::scalar(m, 1.0 / relative_penalty);
  const auto w = make_workspace(s, Storage::sparse);
  if (evaluate_system(s, request::acceleration_level,
                      {input.start.t, input.start.q.data(), input.start.v.data(), nullptr, nullptr}, *w)) {
    const Eigen::VectorXd schur = lumped_schur_diagonal(s, *w);
    for (int i = 0; i < m; ++i) {
      if (schur[i] > 0.0) result.C.diagonal[i] = schur[i] / relative_penalty;
    }
  }
  result.Lambda = {Lambda, spd_inverse(result.C)};
  return result;
=======
  if (!Lambda.automatic()) return compliance(Lambda, Lambda.matrix(input.system->num_constraints(), "Lambda", false));
  return compliance(Lambda, {relative_penalty * row_inertias(input.system, input.start, input.linear_solver), {}});
}

Compliance compliance(const Gain& asked, const GainMatrix& Lambda) {
  return {spd_inverse(Lambda), UsedGain{asked, Lambda}};
>>>>>>> gain
}

}  // namespace sunlagrange::internal
