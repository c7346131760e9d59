// Carries the precompiled header that the tests reuse, and compiles what it declares.
#include <Eigen/Dense>

#define DECOMPOSITION(type) template class Eigen::type<Eigen::MatrixXd>;
#include "decompositions.inc"
#undef DECOMPOSITION
