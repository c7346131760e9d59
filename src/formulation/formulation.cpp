#include "formulation/formulation.hpp"

namespace sunlagrange::internal {

EvaluationResult Formulation::unpack(double, const double* y, const double* yp, double* q, double* v, double* a) {
  const int n = num_positions();
  as_vector(q, n) = layout_.q(y);
  as_vector(v, n) = layout_.v(y);
  if (a != nullptr) as_vector(a, n) = layout_.v(yp);
  return EvaluationResult::ok;
}

void OdeFormulation::weights(const ErrorTolerances& tolerances, const double* y, double* weight) const {
  for (int i = 0; i < layout().n; ++i) q(weight)[i] = 1.0 / tolerances.of(i, q(y)[i]);
  for (int i = 0; i < layout().n_v; ++i) v(weight)[i] = 1.0 / tolerances.of(i, v(y)[i]);
}

EvaluationResult OdeFormulation::project(double, const double*, double* correction, double*) {
  as_vector(correction, size()).setZero();
  return EvaluationResult::ok;
}

}  // namespace sunlagrange::internal
