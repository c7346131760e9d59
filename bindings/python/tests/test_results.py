# SPDX-License-Identifier: BSD-3-Clause
"""Results have fixed fields, a short text, tables and curves."""

import copy
import inspect
import json
import os
import pickle
import subprocess
import sys
import warnings

import numpy
import pytest

import sunlagrange as sl
from sunlagrange import _stubs


def pendulum(**said):
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(2.0), bob)
    model.add("weight", sl.UniformGravity(2.0), bob)
    model.add("rod", sl.DistanceToGround(L=0.5), bob)
    return model.build(**{"positions": {"bob.x": 0.3, "bob.y": -0.4}, "t_end": 1.0, "formulation": "baumgarte",
                          "rtol": 1e-8, "atol": 1e-8, **said})


MODEL = pendulum(estimate_error=True)
RUN = MODEL.simulate()


def two_rods():
    model = sl.Assembly()
    bob = model.add_coordinates("bob", "planar_point")
    model.add("mass", sl.PointMass(), bob)
    model.add("rod", sl.DistanceToGround(L=1.0), bob)
    model.add("second rod", sl.DistanceToGround(L=1.0), bob)
    return model.build(positions={"bob.x": 1.0})


RESULTS = {
    "Report": RUN.report, "ConsistentState": MODEL.consistent_state(), "RedundancyReport": two_rods().redundancy(),
    "GainAdvice": MODEL.advice(), "SystemQuantities": MODEL.evaluate(0.0, RUN.q[0]), "Reactions": RUN.reactions(0.5),
    "PowerBalance": RUN.power_balance(0.5), "EnergyBalance": RUN.energy_balance(), "Linearisation": MODEL.linearise(),
    "Modes": MODEL.replace(positions={"bob.x": 0.0, "bob.y": -0.5}).modes(), "StateSpace": MODEL.state_space(),
    "Equilibrium": MODEL.equilibrium(), "Kinematics": MODEL.kinematics("bob.x", [0.3, 0.2, 0.1]),
    "InverseDynamics": MODEL.inverse_dynamics(0.0, [0.3, -0.4], [0.0, 0.0], [0.0, 0.0], ["bob.x"]),
    "DriveForces": MODEL.drive_forces([0.0, 0.1, 0.2, 0.3], {"bob.x": [0.3, 0.29, 0.28, 0.27]}),
    "Workspace": MODEL.workspace("bob", {"bob.x": (0.1, 0.3, 3)}),
    "Sensitivities": MODEL.sensitivities(parameters=["rod.L", "mass.m"], times=[0.0, 0.5, 1.0]),
    "Gradient": MODEL.gradient("final bob.x", parameters=["rod.L"]),
    "Identification": pendulum(held_positions="bob.x").identify(sl.Measurement("bob.x", RUN.t[1:], RUN["bob.x"][1:]), ["rod.L"]),
    "Certificate": MODEL.replace(integrator="rk4", step=1e-3, t_end=0.1).certify(),
}
TYPES = {"str": str, "float": (float, int), "int": int, "bool": bool, "complex": complex, "numpy.ndarray": numpy.ndarray,
         "Mechanism": sl.Mechanism}


def fits(value, annotation):
    """True if a value is what the stub says."""
    if value is None:  # not known
        return True
    if annotation.startswith("list["):
        return isinstance(value, list) and all(fits(entry, annotation[5:-1]) for entry in value)
    if annotation.startswith("dict[str, "):
        return isinstance(value, dict) and all(fits(entry, annotation[10:-1]) for entry in value.values())
    if annotation in TYPES:
        return isinstance(value, TYPES[annotation])
    return annotation == "Any" or type(value) is sl.results._classes[annotation] and exact(value)


def exact(found):
    """Checks that the fields of a result are those of its class, at every depth."""
    assert set(found) == set(type(found)._fields), (type(found).__name__, set(found) ^ set(type(found)._fields))
    for name, field in type(found)._fields.items():
        assert fits(found[name], _stubs.field_type(field)), (type(found).__name__, name, _stubs.field_type(field), type(found[name]))
    return True


@pytest.mark.parametrize("name", RESULTS)
def test_fields_are_those_of_the_class_at_every_depth(name):
    found = RESULTS[name]
    assert type(found) is getattr(sl.results, name) and exact(found)
    listed = dir(found)
    assert set(found) - {"lambda"} <= set(listed) and not {"items", "keys", "clear", "update"} & set(listed)
    documented = inspect.getdoc(type(found))
    assert all(f"{field}: {entry.meaning}" in documented for field, entry in found._fields.items())
    for field in found:
        if field in vars(type(found)):
            assert getattr(found, field) is found[field] and vars(type(found))[field].__doc__
    with pytest.raises(AttributeError, match="no 'stauts'|no 'sttaus'"):
        found.stauts
    for change in (lambda: setattr(found, "status", "good"), lambda: found.__setitem__("status", "good"), lambda: found.pop("status"),
                   lambda: found.update(a=1), found.clear):
        with pytest.raises((AttributeError, TypeError), match="do not change"):
            change()
    again = pickle.loads(pickle.dumps(found))
    assert type(again) is type(found) and list(again) == list(found) and str(again) == str(found)
    assert str(copy.deepcopy(found)) == str(found)


@pytest.mark.parametrize("name", RESULTS)
def test_the_text_is_short_and_has_the_figures(name):
    found, text = RESULTS[name], str(RESULTS[name])
    assert text.strip() and "array([" not in text and "{'" not in text
    if found.get("text") != text:
        assert len(text.splitlines()) < 50 and all(len(line) <= 120 for line in text.splitlines()), text
    assert len(repr(found)) <= 300 and repr(found).startswith(name + "(") and "\n" not in repr(found)


def test_texts_have_what_is_looked_for():
    assert f"frequency {numpy.sqrt(9.81 / 0.5) / (2 * numpy.pi):.6g}" in str(RESULTS["Modes"])
    assert "branches: 1" in str(RESULTS["Kinematics"]) and "q array(3 x 2)" in str(RESULTS["Kinematics"])
    assert "stability: stable" in str(RESULTS["Equilibrium"]) and "state: t 0, q [" in str(RESULTS["Equilibrium"])
    assert "-0.5" in repr(RESULTS["Equilibrium"].state)
    assert "gradient" in str(RESULTS["Gradient"]) and "second rod" in str(RESULTS["RedundancyReport"])


def test_results_are_dictionaries_as_well():
    found = RESULTS["Modes"]
    assert isinstance(found, dict) and found["stability"] == found.stability and dict(found)["modes"] is found.modes
    assert json.loads(json.dumps(RESULTS["Report"]))["steps"] == RUN.report.steps
    assert isinstance(RESULTS["Modes"], sl.Analysis) and isinstance(RESULTS["Modes"], sl.Answer)
    assert isinstance(sl.formulations()[0], sl.Record) and sl.formulations()[0].name == sl.formulations()[0]["name"]


def test_a_run_is_a_table_of_named_columns():
    names = RUN.columns
    assert names == ["t", "bob.x", "bob.y", "bob.x'", "bob.y'", "bob.x''", "bob.y''", "lambda:rod"] == list(RUN)
    assert len(RUN) == len(RUN.t) and bool(RUN) and "bob.x'" in RUN and "bob.z" not in RUN
    for name, column in (("t", RUN.t), ("bob.y", RUN.q[:, 1]), ("bob.y'", RUN.v[:, 1]), ("bob.x''", RUN.a[:, 0]),
                         ("lambda:rod", RUN.multipliers[:, 0])):
        assert (RUN[name] == column).all()
    with pytest.raises(KeyError, match="no coordinate \"bob.z'\" .did you mean bob"):
        RUN["bob.z'"]
    assert RUN.position_names == ["bob.x", "bob.y"] and RUN.mechanism.position_units == ["m", "m"]


def test_doubts_of_analyses_are_warnings_where_they_are_called():
    with pytest.warns(sl.DoubtWarning, match="Kinematics: infeasible") as warned:
        MODEL.kinematics("bob.x", [9.0])
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MODEL.kinematics("bob.x", [0.3])
        pendulum(max_steps=3).simulate(check=False)


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas", reason="needs python3-pandas")
    table = RUN.to_dataframe()
    assert list(table.columns) == RUN.columns[1:] and table.index.name == "t" and (table["bob.x'"] == RUN["bob.x'"]).all()
    found = RESULTS["Sensitivities"].to_dataframe()
    assert list(found.index) == [0.0, 0.5, 1.0] and found["d bob.x / d rod.L"].iloc[2] == RESULTS["Sensitivities"].dq[2, 0, 0]
    assert (found["d bob.y' / d mass.m"] == RESULTS["Sensitivities"].dv[:, 1, 1]).all() and "lambda:rod" in found
    followed = RESULTS["Kinematics"].to_dataframe()
    assert list(followed.loc[0].index) == [0.3, 0.2, 0.1] and (followed["bob.y"] == RESULTS["Kinematics"].branches[0].q[:, 1]).all()
    assert "rate bob.y" in followed
    modes = RESULTS["Modes"].to_dataframe()
    assert modes["frequency"][0] == RESULTS["Modes"].modes[0].frequency
    energy = RESULTS["EnergyBalance"].to_dataframe()
    assert set(energy.index) == {"mass", "weight", "rod"} and energy.loc["weight", "stored"] == RESULTS["EnergyBalance"].elements["weight"].stored
    assert RESULTS["Gradient"].to_dataframe().loc["rod.L", "gradient"] == RESULTS["Gradient"].gradient[0]
    assert RESULTS["Identification"].to_dataframe().loc[0, "output"] == "bob.x"
    study = sl.study(MODEL, {"rod.L": [0.4, 0.5]}, t_end=0.2, estimate_error=False)
    cases = study.to_dataframe()
    assert list(cases["rod.L"]) == [0.4, 0.5] and (cases["bob.x"] == study["bob.x"]).all() and (cases["steps"] == study.figure("steps")).all()
    assert "status" in cases and cases.index.name == "case"
    for name, found in RESULTS.items():
        assert isinstance(found.to_dataframe(), pandas.DataFrame) and len(found.to_dataframe()) > 0, name


def test_curves_of_matplotlib():
    matplotlib = pytest.importorskip("matplotlib", reason="needs python3-matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    axes = RUN.plot()
    assert len(axes) == 1 and [line.get_label() for line in axes[0].lines] == ["bob.x", "bob.y"] and axes[0].get_ylabel() == "m"
    assert (axes[0].lines[1].get_ydata() == RUN["bob.y"]).all() and axes[0].get_xlabel() == "t [s]"
    axes = RUN.plot("bob.x", "bob.x'", "bob.y''", "lambda:rod")
    assert [axis.get_ylabel() for axis in axes] == ["m", "m/s", "m/s^2", "lambda"]
    assert [len(axis.lines) for axis in axes] == [1, 1, 1, 1]
    own = pyplot.subplots()[1]
    assert RUN.plot("bob.x", ax=own)[0] is own and len(own.lines) == 1
    lines = RESULTS["Kinematics"].plot()[0].lines
    assert (lines[1].get_ydata() == RESULTS["Kinematics"].branches[0].q[:, 1]).all()
    assert len(RESULTS["Sensitivities"].plot()[0].lines) == 4 and len(RESULTS["DriveForces"].plot()[0].lines) == 1
    assert RESULTS["Modes"].plot().collections[0].get_offsets()[:, 1].tolist() == pytest.approx(
        [mode.eigenvalue.imag for mode in RESULTS["Modes"].modes])
    assert len(RESULTS["Workspace"].plot().collections[0].get_offsets()) == 3
    measured, fitted = RESULTS["Identification"].plot()[0].lines
    assert (measured.get_ydata() == RUN["bob.x"][1:]).all() and (fitted.get_ydata() == RESULTS["Identification"].fits[0].model).all()
    study = sl.study(MODEL, {"rod.L": [0.4, 0.5]}, t_end=0.2, estimate_error=False)
    assert study.plot("rod.L", "steps").collections[0].get_offsets()[:, 0].tolist() == pytest.approx([0.4, 0.5])
    with pytest.raises(KeyError, match="no coordinate 'bob.q'"):
        RUN.plot("bob.q")
    pyplot.close("all")


@pytest.mark.parametrize("package, method", [("pandas", "to_dataframe()"), ("matplotlib", "plot()")])
def test_a_package_that_is_missing_is_named(package, method):
    code = (f"import sys\nsys.modules['{package}'] = None\nimport sunlagrange as sl\n"
            f"run = sl.mechanism('pendulum').simulate(t_end=0.01)\nrun.{method}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert f"{method} needs {package}, which is not installed" in done.stderr and "python3-" + package in done.stderr
