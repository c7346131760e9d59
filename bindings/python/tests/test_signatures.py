# SPDX-License-Identifier: BSD-3-Clause
"""Options, elements and results are arguments and attributes of Python: signatures, docstrings and stubs follow from the
descriptions of the library."""

import ast
import inspect
import os
import shutil
import subprocess
import sys
import tempfile

import pytest

import sunlagrange as sl
from sunlagrange import _stubs

PACKAGE = os.path.dirname(sl.__file__)
OPTIONS = sl.schema()["properties"]["simulation"]["properties"]
START = sl.schema()["properties"]["start"]["properties"]
WITH_OPTIONS = [sl.simulate, sl.study, sl.Stepper, sl.FunctionModel, sl.Assembly.build, sl.Mechanism.replace,
                sl.Mechanism.simulate, sl.FunctionModel.replace]


@pytest.mark.parametrize("function", WITH_OPTIONS, ids=lambda function: function.__qualname__)
def test_every_option_is_an_argument_with_its_meaning(function):
    parameters = inspect.signature(function).parameters
    documented = inspect.getdoc(function.__init__ if isinstance(function, type) else function)
    assert {*OPTIONS, *START} <= set(parameters) and not any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    for name, given in OPTIONS.items():
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"{name}: {given['description']}" in documented
        assert all(f'"{word}"' in parameters[name].annotation for word in given.get("enum", []))
    assert all(f'"{formulation.name}"' in parameters["formulation"].annotation for formulation in sl.formulations())
    assert all(f'"{integrator.name}"' in parameters["integrator"].annotation for integrator in sl.integrators())


def test_options_that_do_not_exist_are_wrong_types_with_the_nearest_name():
    for call in (lambda **said: sl.Assembly().build(**said), lambda **said: sl.simulate(sl.mechanism("pendulum"), **said),
                 lambda **said: sl.study(sl.mechanism("pendulum"), {}, **said)):
        with pytest.raises(TypeError, match="no start value or option 'tend' .did you mean t_end") as error:
            call(tend=2.0)
        assert isinstance(error.value, sl.Error)


def stubs(file):
    with open(os.path.join(PACKAGE, file), encoding="utf-8") as text:
        written = text.read()
    return written, {node.name: node for node in ast.parse(written).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def arguments(node):
    given = node.args
    return [argument.arg for argument in [*given.posonlyargs, *given.args, *filter(None, [given.vararg]), *given.kwonlyargs]]


def test_stubs_are_those_of_the_package():
    written, nodes = stubs("__init__.pyi")
    assert written == _stubs.text()
    assert set(sl.__all__) == set(nodes) | {"results"} and os.path.exists(os.path.join(PACKAGE, "py.typed"))
    for name, node in nodes.items():
        made = getattr(sl, name)
        if isinstance(node, ast.FunctionDef):
            assert arguments(node) == list(inspect.signature(made).parameters), name
        elif issubclass(made, sl.Part) and made is not sl.Part:
            constructor = next(part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "__init__")
            assert arguments(constructor)[1:] == list(inspect.signature(made).parameters), name
            assert [p.arg for p in constructor.args.kwonlyargs] == [
                p.name for p in inspect.signature(made).parameters.values() if p.kind is p.KEYWORD_ONLY], name
        elif not issubclass(made, (tuple, Exception)):
            members = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            public = {member for member, value in vars(made).items() if not member.startswith("_")
                      and (callable(value) or isinstance(value, (property, staticmethod)))}
            assert public - set(dir(dict)) <= members | set(dir(str)), name


def test_stubs_of_results_are_those_of_the_package():
    written, nodes = stubs("results.pyi")
    assert written == _stubs.results_text() and set(nodes) == set(sl.results.__all__)
    for name, node in nodes.items():
        fields = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        assert set(getattr(sl.results, name)._fields) <= fields | {"lambda"}, name


USER = """
import sunlagrange as sl

model = sl.Assembly()
bob = model.add_coordinates("bob", "planar_point")
model.add("mass", sl.PointMass(2.0), bob)
model.add("pull", sl.AppliedForce(law=lambda t, q, v: [0.0, -9.81]), bob)
model.add("rod", sl.DistanceToGround(L=(50, "cm")), bob)
run = sl.simulate(model, t_end=2, formulation="ggl", positions={"bob": sl.at((0.5, 0.0))}, record="ends_only")
found = model.build(held_positions=bob.x, positions={"bob.y": -0.5}).kinematics("bob.x", [0.1, 0.2])
print(found.branches[0].q.shape, run["bob.x"].max(), run.report.steps + 1, len(run), run.doubts[0].text, bob.x.y)
for formulation in sl.formulations():
    model.build(formulation=formulation.name)
"""
MISTAKES = {"sl.simulate(model, tend=2)": 'Unexpected keyword argument "tend"',
            'sl.simulate(model, formulation="gll")': "Literal['gll']",
            'model.build(t_end="2")': 'has incompatible type "str"',
            "sl.PointMass(mass=2.0)": 'Unexpected keyword argument "mass"',
            "found.stauts": '"Kinematics" has no attribute "stauts"',
            "run.report.stpes": '"Report" has no attribute "stpes"',
            'sl.Stepper(model, recrod="ends_only")': 'Unexpected keyword argument "recrod"'}


@pytest.mark.skipif(shutil.which("mypy") is None, reason="needs mypy")
def test_a_type_checker_takes_what_is_right_and_refuses_mistakes(tmp_path):
    (tmp_path / "user.py").write_text(USER + "\n".join(MISTAKES) + "\n")
    done = subprocess.run([shutil.which("mypy"), "--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"], cwd=tmp_path,
                          capture_output=True, text=True, env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
    said = [line for line in done.stdout.splitlines() if ": error: " in line]
    first = USER.count("\n") + 1
    for k, words in enumerate(MISTAKES.values()):
        assert any(line.startswith(f"user.py:{first + k}:") and words in line for line in said), done.stdout + done.stderr
    assert len(said) == len(MISTAKES), done.stdout


def test_a_type_checker_takes_the_stubs_themselves(tmp_path):
    if shutil.which("mypy") is None:
        pytest.skip("needs mypy")
    done = subprocess.run([shutil.which("mypy"), "--strict", "--cache-dir", str(tmp_path), os.path.join(PACKAGE, "__init__.pyi"),
                           os.path.join(PACKAGE, "results.pyi")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# ---- elements --------------------------------------------------------------------------------------------------------


def test_parameters_may_be_given_by_their_place_and_are_attributes():
    assert sl.PointMass(2.0) == sl.PointMass(m=2.0) and sl.PointMass(2.0).m == 2.0 and sl.PointMass().m == 1.0
    assert sl.SmoothStep(0.0, 2.0).from_ == 0.0 and {"from_", "duration"} <= set(dir(sl.SmoothStep()))
    spring = sl.LinearSpring(200.0, 0.4, sl.OnBody(0.5), b=sl.OnGround(0.0, 1.0))
    assert spring == sl.LinearSpring(k=200.0, l0=0.4, a=sl.OnBody(sx=0.5), b=sl.OnGround(x=0.0, y=1.0))
    with pytest.raises(sl.Error, match="no parameter of PointMass 'mass'.*there are: m"):
        sl.PointMass().mass
    for name in (entry.name for entry in sl.elements()):
        element = getattr(sl, name)
        parameters = inspect.signature(element).parameters.values()
        by_place = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert by_place and by_place == list(parameters)[:len(by_place)], name
        made = element(*range(len(by_place)))
        assert list(made.parameters.values()) == list(range(len(by_place))), name
        with pytest.raises(TypeError, match="values without a name"):
            element(*range(len(by_place) + 1))


def test_an_assembly_lists_gives_back_and_removes():
    model = sl.Assembly()
    arm, p = model.add_coordinates("arm", "planar_body"), model.add_coordinates("p", "planar_point")
    rod = sl.PlanarRigidBody(m=2.0, I=0.1)
    model.add("body", rod, arm)
    model.add("spring", sl.LinearSpring(a=sl.OnBody(0.5)), arm, p)
    assert model["arm"] is arm and model["arm"].phi == "arm.phi" and list(model) == ["arm", "p", "body", "spring"]
    assert model.elements == {"body": rod, "spring": sl.LinearSpring(a=sl.OnBody(0.5))} and list(model.blocks) == ["arm", "p"]
    assert "arm" in model and "pin" not in model
    shown = str(model)
    assert "2 blocks, 2 elements" in shown and "planar_body" in shown and "PlanarRigidBody(m=2.0, I=0.1) on arm" in shown
    with pytest.raises(sl.Error, match="block 'p': elements act on it .spring."):
        model.remove("p")
    with pytest.raises(KeyError, match="no block or element 'sprin' .did you mean spring"):
        model.remove("sprin")
    with pytest.raises(KeyError, match="no block 'arn' .did you mean arm"):
        model["arn"]
    model.remove("spring")
    model.remove("p")
    assert model.build().position_names == ["arm.x", "arm.y", "arm.phi"] and list(model) == ["arm", "body"]
    p = model.add_coordinates("p", "planar_point")  # the name is free again
    model.add("spring", sl.LinearSpring(a=sl.OnBody(0.5)), arm, p)
    assert len(model.build().position_names) == 5


# ---- package and program -----------------------------------------------------------------------------------------------


def test_the_version_is_that_of_the_library():
    with open(os.path.join(os.environ["SUNLAGRANGE_SOURCE"], "include/sunlagrange/version.hpp"), encoding="utf-8") as file:
        numbers = [line.split()[-1] for line in file if "SUNLAGRANGE_VERSION_" in line and line.startswith("#define")]
    assert sl.__version__ == ".".join(numbers)


def run_module(arguments, folder=os.path.dirname(__file__), **environment):
    return subprocess.run([sys.executable, "-m", "sunlagrange", *arguments], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, **environment})


@pytest.mark.skipif(not os.environ.get("SUNLAGRANGE_PROGRAM"), reason="needs sunlagrange")
def test_the_module_is_the_program():
    path = os.path.dirname(os.environ["SUNLAGRANGE_PROGRAM"])
    for arguments in (["list", "formulations"], ["run", "no such file"], ["--version"], ["run"]):
        there = subprocess.run([os.environ["SUNLAGRANGE_PROGRAM"], *arguments], capture_output=True, text=True,
                               cwd=os.path.dirname(__file__))
        here = run_module(arguments, PATH=path)
        assert (here.returncode, here.stdout, here.stderr) == (there.returncode, there.stdout, there.stderr), arguments
    assert run_module(["run", "no such file"], PATH=path).returncode != 0


def test_a_program_beside_the_package_comes_first_and_one_that_is_missing_is_named():
    with tempfile.TemporaryDirectory() as prefix:
        missing = run_module([], PATH=prefix)
        if "is not on PATH" not in missing.stderr:
            pytest.skip("a program stands beside the package")
        assert missing.returncode == 1 and "install it" in missing.stderr
        os.makedirs(os.path.join(prefix, "bin"))
        site = os.path.join(prefix, "lib/python3/dist-packages")
        shutil.copytree(PACKAGE, os.path.join(site, "sunlagrange"))
        program = os.path.join(prefix, "bin", "sunlagrange")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho beside \"$@\"\nexit 3\n")
        os.chmod(program, 0o755)
        beside = run_module(["run", "a b"], PYTHONPATH=site)
        assert beside.returncode == 3 and beside.stdout == "beside run a b\n"
