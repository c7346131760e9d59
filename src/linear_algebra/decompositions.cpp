// SPDX-License-Identifier: BSD-3-Clause
#include "linear_algebra/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include <sunlagrange/base/status.hpp>

namespace sunlagrange::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::VectorXcd eigenvalues(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A, false);
  if (solver.info() != Eigen::Success) throw Error("the eigenvalues of a matrix cannot be computed; is it finite?");
  return solver.eigenvalues();
}

EigenPairs eigenpairs(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> solver(A);
  if (solver.info() != Eigen::Success) throw Error("the eigenvectors of a matrix cannot be computed; is it finite?");
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& S) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(S, Eigen::EigenvaluesOnly).eigenvalues();
}

InverseRoot inverse_square_root(const MatrixXd& S) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(S);
  return {solver.eigenvalues(), solver.operatorInverseSqrt()};
}

VectorXd generalized_eigenvalues(const MatrixXd& A, const MatrixXd& B) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(A, B, Eigen::EigenvaluesOnly | Eigen::Ax_lBx).eigenvalues();
}

ComplexSchurForm complex_schur(const MatrixXd& A) {
  const Eigen::ComplexSchur<MatrixXd> schur(A);
  if (schur.info() != Eigen::Success) throw Error("no Schur form of a matrix found; are its entries sensible?");
  return {schur.matrixT(), schur.matrixU()};
}

MatrixXd solve_full_pivoting(const MatrixXd& A, const MatrixXd& B) {
  if (B.size() == 0) return MatrixXd(A.cols(), B.cols());  // Eigen would refer to its first entry
  return Eigen::FullPivLU<MatrixXd>(A).solve(B);
}

Index rank_full_pivoting(const MatrixXd& A) {
  return Eigen::FullPivLU<MatrixXd>(A).rank();
}

double determinant(const MatrixXd& A) {
  return Eigen::FullPivLU<MatrixXd>(A).determinant();
}

MatrixXd orthonormal_columns(const MatrixXd& A) {
  return Eigen::HouseholderQR<MatrixXd>(A).householderQ() * MatrixXd::Identity(A.rows(), A.cols());
}

MatrixXd orthogonal_completion(const MatrixXd& A) {
  return Eigen::ColPivHouseholderQR<MatrixXd>(A).householderQ();
}

struct PivotedQr::Factor {
  Eigen::ColPivHouseholderQR<MatrixXd> qr;
  bool any = true;  // columns
};

PivotedQr::PivotedQr(Index rows, Index columns)
    : factor_(new Factor{Eigen::ColPivHouseholderQR<MatrixXd>(rows, columns), columns > 0}) {}
PivotedQr::PivotedQr(const MatrixXd& A) : PivotedQr(A.rows(), A.cols()) {
  compute(A);
}
PivotedQr::PivotedQr(const PivotedQr& other) : factor_(new Factor(*other.factor_)) {}
PivotedQr::PivotedQr(PivotedQr&&) noexcept = default;
PivotedQr& PivotedQr::operator=(PivotedQr&&) noexcept = default;
PivotedQr::~PivotedQr() = default;

void PivotedQr::compute(const MatrixXd& A) {
  factor_->any = A.cols() > 0;
  if (factor_->any) factor_->qr.compute(A);  // Eigen looks for the largest column
}
const MatrixXd& PivotedQr::factors() const {
  static const MatrixXd none;
  return factor_->any ? factor_->qr.matrixQR() : none;
}
const VectorXd& PivotedQr::reflections() const {
  static const VectorXd none;
  return factor_->any ? factor_->qr.hCoeffs() : none;
}
const Eigen::VectorXi& PivotedQr::order() const {
  static const Eigen::VectorXi none;
  return factor_->any ? factor_->qr.colsPermutation().indices() : none;
}

}  // namespace sunlagrange::internal
