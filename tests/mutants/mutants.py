#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mutants.py [--check] [NAME...]

Changes one place of the numerics after the other, in a copy of the sources, and expects the test that
docs/paper-to-code.md (or the table below) names for it to fail. A test that passes nevertheless tests nothing.

  --check  only checks that every mutant still applies to the sources, and that its test exists
  NAME     only these mutants

Without --check the copy and its build (preset dev) are in build/mutants. Minutes per mutant.
"""

import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUATIONS = "contract/equations_of_the_papers"
EXTENDED = "unit/formulation/extended_lagrangian"


@dataclass(frozen=True)
class Mutant:
    """`old`, which occurs once in `file`, becomes `new`; then `case` of `test` fails."""

    name: str
    file: str
    old: str
    new: str
    test: str  # below tests, without _test.cpp
    case: str

    @property
    def target(self) -> str:
        folder, *_, name = self.test.split("/")
        return f"test_{folder}_{name}"


MUTANTS = [
    Mutant("sign_of_gamma", "src/formulation/parts/stabilization.cpp", "  b = w.gamma;", "  b = -w.gamma;",
           EQUATIONS, "equations_1_and_2_and_the_ideal_reactions"),
    Mutant("bodies_without_weight", "src/model/assembly.cpp", "      value = g_[k];", "      value = 0.0;",
           "unit/elements/bodies", "bodies_move_as_their_inertia_and_weight"),
    Mutant("K_D_and_K_P_swapped", "src/formulation/parts/stabilization.cpp",
           "  s.rate = GainMatrix::block_diagonal(advice.K_D, advice.K_N);\n  s.position = advice.K_P;",
           "  s.rate = GainMatrix::block_diagonal(advice.K_P, advice.K_N);\n  s.position = advice.K_D;",
           EQUATIONS, "equations_15_to_21_with_full_matrices"),
    Mutant("K_P_without_its_coupling", "src/formulation/parts/stabilization.cpp", "  s.position = advice.K_P;",
           "  s.position.diagonal = advice.K_P.dense().diagonal();",
           EQUATIONS, "equations_15_to_21_with_full_matrices"),
    Mutant("Lambda_without_its_coupling", "src/formulation/parts/compliance.cpp",
           "  return {spd_inverse(Lambda), UsedGain{requested, Lambda}};",
           "  GainMatrix diagonal;\n  diagonal.diagonal = Lambda.dense().diagonal();\n"
           "  return {spd_inverse(diagonal), UsedGain{requested, Lambda}};",
           EQUATIONS, "equations_28_to_31_with_a_full_excess_mass"),
    Mutant("h_for_its_square_in_newton", "src/formulation/parts/newton_blocks.cpp", "h * (r_v[e] + h * r_q[e])",
           "h * (r_v[e] + r_q[e])", "contract/formulation_contract", "newton_solve_inverts_identity_minus_gamma_j"),
    Mutant("multiplier_weight_without_the_mass", "src/formulation/parts/dae_weights.cpp",
           "state_weight[j] * w.G.values[k] / mass_[j];", "state_weight[j] * w.G.values[k];",
           EQUATIONS, "error_weights_of_multipliers_are_those_of_their_effect"),
    Mutant("index_2_imposes_positions", "src/formulation/forms/index2.cpp",
           "PlainMultiplierForm(input, 0, 2 * input.system->num_positions())",
           "PlainMultiplierForm(input, input.system->num_position_constraints(), 2 * input.system->num_positions())",
           EQUATIONS, "residuals_of_the_multiplier_forms"),
    Mutant("no_norm_of_euler_parameters", "include/sunlagrange/elements/spatial/rigid_body.hpp",
           "      G(0, k) = q[k];", "      G(0, k) = 0.0 * q[k];",
           "contract/spatial_elements", "spatial_elements_obey_the_laws"),
    Mutant("excess_mass_ignored", "src/gains/excess_law.cpp", "    factor_.solve_in_place(K_P);\n", "",
           EQUATIONS, "excess_energy_with_full_matrices"),
    Mutant("rate_of_the_excess_mass_ignored", "src/gains/excess_law.cpp", "    add_mass_rate(t, a, K_D);\n",
           "    static_cast<void>(a);\n",
           EXTENDED, "constraint_errors_obey_the_law_of_the_excess_variables"),
    Mutant("sign_of_the_tangential_force", "src/gains/excess_law.cpp", "    m2[i] -= (ahead - dissipation",
           "    m2[i] += (ahead - dissipation", EXTENDED, "tangential_force_of_the_papers_is_there"),
    Mutant("acceleration_in_the_mass_rate_ignored", "src/formulation/forms/extended_lagrangian.cpp",
           "    as_vector(a, E_.cols()).noalias() -= Z_ * coupled_rows_;\n", "",
           EXTENDED, "a_mass_that_depends_on_v_makes_one_linear_system"),
    Mutant("printed_sign_of_k", "src/consistency/kinematic_field.cpp", "  a -= K_ * f_;", "  a += K_ * f_;",
           EQUATIONS, "theorem_1_of_002_with_full_gains_and_rank_below_m"),
    Mutant("program_without_f_t", "src/consistency/kinematic_field.cpp", "  mu_ -= w.g_rate;\n", "",
           EQUATIONS, "theorem_1_of_002_with_full_gains_and_rank_below_m"),
    Mutant("remark_3_without_its_square", "src/gains/gains.cpp", "    stiffness.push_back(x * x);",
           "    stiffness.push_back(x);", "unit/gains/gains", "critically_damped_is_remark_3"),
    Mutant("epsilon_for_its_half_in_the_damped_form", "src/stability/damped_form.cpp",
           "  P << stiffness_ + epsilon * damping_, epsilon * mass_, epsilon * mass_, mass_;",
           "  P << stiffness_ + epsilon * damping_, 0.5 * epsilon * mass_, 0.5 * epsilon * mass_, mass_;",
           "unit/stability/damped_form", "derivative_is_minus_the_form_of_Q"),
]


def check(mutant: Mutant) -> list[str]:
    """Returns what is wrong with a mutant."""
    complaints = []
    count = (ROOT / mutant.file).read_text().count(mutant.old)
    if count != 1:
        complaints.append(f"{mutant.name}: its text occurs {count} times in {mutant.file}, must occur once")
    test = ROOT / f"tests/{mutant.test}_test.cpp"
    if not test.exists() or f"BOOST_AUTO_TEST_CASE({mutant.case})" not in test.read_text():
        complaints.append(f"{mutant.name}: there is no test case {mutant.case} in {test.relative_to(ROOT)}")
    return complaints


def build(tree: pathlib.Path, target: str) -> None:
    made = subprocess.run(["cmake", "--build", "build/dev", "--target", target], cwd=tree, check=False,
                          capture_output=True, text=True)
    if made.returncode != 0:
        raise SystemExit(f"{target} does not compile: {made.stdout}{made.stderr}")


def fails(tree: pathlib.Path, mutant: Mutant) -> bool:
    """Builds the test of a mutant and runs its case. Returns true if checks of the case fail."""
    build(tree, mutant.target)
    run = subprocess.run([f"build/dev/tests/{mutant.target}", f"--run_test={mutant.case}"], cwd=tree,
                         capture_output=True, text=True, check=False)
    if run.returncode != 0 and not re.search(r"error: in|fatal error", run.stdout + run.stderr):
        raise SystemExit(f"{mutant.name}: the test did not run: {run.stdout}{run.stderr}")
    return run.returncode != 0


def run(mutants: list[Mutant]) -> int:
    tree = ROOT / "build/mutants"
    tree.mkdir(parents=True, exist_ok=True)
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.splitlines()
    for file in files:
        source, copy = ROOT / file, tree / file
        if not source.is_file() or (copy.exists() and copy.read_bytes() == source.read_bytes()):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
        copy.chmod(source.stat().st_mode)
    if not (tree / "build/dev/build.ninja").exists():
        # a mutant may leave a parameter unused
        subprocess.run(["cmake", "--preset", "dev", "-D", "sunlagrange_WARNINGS_AS_ERRORS=OFF", "--log-level=WARNING"],
                       cwd=tree, check=True)
    survivors = []
    for mutant in mutants:
        if fails(tree, mutant):
            raise SystemExit(f"{mutant.test}/{mutant.case} fails without a mutant")
        file = tree / mutant.file
        original = file.read_text()
        try:
            file.write_text(original.replace(mutant.old, mutant.new))
            killed = fails(tree, mutant)
        finally:
            file.write_text(original)
        print(f"{'killed  ' if killed else 'SURVIVES'}  {mutant.name:42} {mutant.test} {mutant.case}", flush=True)
        if not killed:
            survivors.append(mutant.name)
    return 1 if survivors else 0


def main() -> int:
    names = [argument for argument in sys.argv[1:] if argument != "--check"]
    unknown = set(names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(m.name for m in MUTANTS)}")
    mutants = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    complaints = [complaint for mutant in mutants for complaint in check(mutant)]
    print("\n".join(complaints) or f"{len(mutants)} mutants apply")
    if complaints or "--check" in sys.argv:
        return 1 if complaints else 0
    return run(mutants)


if __name__ == "__main__":
    sys.exit(main())
