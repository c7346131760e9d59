// Twin of klu.cpp for builds without KLU.
#include <sunlagrange/base/status.hpp>

#include "linear_solver/linear_solver.hpp"

namespace sunlagrange {

std::unique_ptr<LinearSolver> make_klu(const BlockPattern&, const LinearSolverOptions&) {
  throw Error(
      "linear_solver.name = \"klu\" needs KLU, and this build has none; install SuiteSparse (Debian: "
      "libsuitesparse-dev) and configure with -Dsunlagrange_WITH_KLU=ON, or choose linear_solver.name = \"dense\"");
}

}  // namespace sunlagrange
