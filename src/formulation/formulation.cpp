#include "formulation/formulation.hpp"

#include <algorithm>

namespace sunlagrange {

EvaluationResult Formulation::unpack(double, const double* y, const double* yp, double* q, double* v, double* a) {
  std::copy(y, y + num_positions_, q);
  std::copy(y + num_positions_, y + 2 * num_positions_, v);
  if (a != nullptr) std::copy(yp + num_positions_, yp + 2 * num_positions_, a);
  return EvaluationResult::ok;
}

EvaluationResult OdeFormulation::project(double, const double*, double* correction, double*) {
  std::fill(correction, correction + size(), 0.0);
  return EvaluationResult::ok;
}

}  // namespace sunlagrange
