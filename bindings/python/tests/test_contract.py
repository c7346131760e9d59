# SPDX-License-Identifier: BSD-3-Clause
"""Every formulation on every mechanism that a file can hold: what Python returns is what the program returns, bit for bit."""

import json
import os
import subprocess

import numpy
import pytest

import sunlagrange as sl

PROGRAM = os.environ.get("SUNLAGRANGE_PROGRAM", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="needs sunlagrange")


def prepared(name, formulation):
    """A short run of the mechanism, of few steps whatever happens; methods of one step need a step."""
    model = sl.mechanism(name)
    said = json.loads(model.text)
    t = said.get("start", {}).get("t", 0.0)
    options = {"t_end": t + 0.05 * (said["simulation"]["t_end"] - t), "formulation": formulation.name,
               "max_steps": 100}
    if formulation.equations == "one_step":
        options["step"] = (options["t_end"] - t) / 50
    return model.replace(**options)


def rows(file):
    with open(file, encoding="utf-8") as lines:
        header = next(lines).strip().split(",")
        return header, numpy.array([[float(x) for x in line.split(",")] for line in lines])


def test_the_package_brings_mechanisms():
    assert len(sl.mechanisms()) >= 10
    with pytest.raises(sl.Error, match="did you mean pendulum"):
        sl.mechanism("pendel")


@pytest.mark.parametrize("name", sl.mechanisms())
def test_runs_are_those_of_the_program(name, tmp_path):
    compared = 0
    for formulation in sl.formulations():
        model = prepared(name, formulation)
        file, csv = tmp_path / "model.json", tmp_path / f"{formulation.name}.csv"
        model.write(file)
        done = subprocess.run([PROGRAM, "run", file, "--formulation", formulation.name, "--json", "--csv", csv],
                              capture_output=True, text=True)
        where = f"{name}, {formulation.name}: {done.stderr}"
        objection = model.objection(formulation.name)
        if objection:
            assert done.returncode == 2, where
            with pytest.raises(sl.Error) as refused:
                model.simulate()
            assert objection in str(refused.value)
            continue
        run = model.simulate(check=False)
        record = json.loads(done.stdout)["runs"][0]
        for entry in ("status", "message", "doubts", "steps", "rhs_evaluations", "factorizations", "t_reached",
                      "max_position_violation", "max_velocity_violation", "energy_drift", "smallest_singular_value"):
            assert run.report[entry] == record[entry], f"{where} {entry}"
        header, values = rows(csv)
        n, m = len(model.position_names), len(model.constraint_names)
        assert header == ["t", *model.position_names, *(x + "'" for x in model.position_names),
                          *("lambda:" + x for x in model.constraint_names)]
        python = numpy.column_stack([run.t, run.q, run.v, run.multipliers])
        assert values.shape == python.shape == (len(run.t), 1 + 2 * n + m), where
        assert numpy.array_equal(values, python, equal_nan=True), where
        compared += 1
    assert compared >= 10
