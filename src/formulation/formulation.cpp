#include "formulation/formulation.hpp"

namespace sunlagrange::internal {

EvaluationResult Formulation::unpack(double, const double* y, const double* yp, double* q, double* v, double* a) {
  const int n = num_positions();
  as_vector(q, n) = layout_.q(y);
  as_vector(v, n) = layout_.v(y);
  if (a != nullptr) as_vector(a, n) = layout_.v(yp);
  return EvaluationResult::ok;
}

EvaluationResult OdeFormulation::project(double, const double*, double* correction, double*) {
  as_vector(correction, size()).setZero();
  return EvaluationResult::ok;
}

}  // namespace sunlagrange::internal
