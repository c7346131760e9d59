# SPDX-License-Identifier: BSD-3-Clause
"""Recipes and metadata agree with version.hpp, with the list of dependencies, and with CMake."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import recipes  # noqa: E402

# The parts of the library that each recipe builds (packaging/README.md).
PARTS = {
    "vcpkg": {"library", "files"},
    "conda": {"library", "files", "programs", "python"},
    "spack": {"library", "files", "programs", "python"},
    "conan": {"library", "files"},
    "homebrew": {"library", "files", "programs"},
}


def listed(manager, parts):
    return {row[manager] for row in recipes.dependencies() if row["part"] in parts and row[manager]}


def test_every_place_states_the_version_of_the_header():
    stated = recipes.stated_versions()
    assert {file for file, _ in stated} == set(recipes.PLACES)
    assert [each for each in stated if each[1] != recipes.version()] == []


@pytest.mark.parametrize("recipe", PARTS)
def test_a_recipe_requires_what_the_list_says(recipe):
    if recipe == "conda":
        pytest.importorskip("yaml")
    assert recipes.requirements(recipe) == listed(recipe, PARTS[recipe])


def test_all_recipes_take_the_same_archive():
    found = recipes.sources()
    assert set(found) == set(PARTS)
    assert len({address for address, _ in found.values()}) == 1
    assert len({checksum for _, checksum in found.values() if len(checksum) == 64}) == 1
    assert len(found["vcpkg"][1]) == 128


def test_a_requirement_names_the_oldest_version_of_the_list():
    for row in recipes.dependencies():
        for manager in "conda", "spack", "conan", "pypi":
            bounds = re.findall(r"(?:@|>=)(\d[\d.]*)", row[manager] or "")
            if row["minimum"] and bounds:
                assert bounds[0] == row["minimum"], (row["dependency"], manager)


def test_the_list_says_what_cmake_looks_for():
    minimum = {row["dependency"]: row["minimum"] for row in recipes.dependencies()}
    guard = recipes.contents("cmake/Dependencies.cmake")
    assert f"SUNDIALS_VERSION VERSION_LESS {minimum['SUNDIALS']} " in guard
    for bound in "VERSION_GREATER_EQUAL 8\n", "VERSION_GREATER_EQUAL 7.0 AND SUNDIALS_VERSION VERSION_LESS 7.1)":
        assert bound in guard
    assert f"find_package(Eigen3 {minimum['Eigen']} " in guard
    assert f'"fmt;{minimum["fmt"]}"' in recipes.contents("CMakeLists.txt")
    assert f"find_package(Boost {minimum['Boost.Test']} " in recipes.contents("tests/CMakeLists.txt")
    assert f"find_package(pybind11 {minimum['pybind11']} " in recipes.contents("bindings/python/CMakeLists.txt")


def test_debian_gets_what_the_list_says():
    needed = listed("debian", {"library", "files", "programs", "tests"})
    installed = recipes.contents("scripts/install_dependencies.sh").split("packages=(")[1].split(")")[0].split()
    assert needed - set(installed) == set()
    named = recipes.contents("scripts/test.sh")
    assert [each for each in listed("debian", {"python", "robots"}) if each not in named] == []
    install = recipes.contents("INSTALL.md")
    names = {row["dependency"] for row in recipes.dependencies()}
    assert [name for name in names if name not in install] == []


def test_codemeta_names_the_dependencies():
    named = json.loads(recipes.contents("codemeta.json"))["softwareRequirements"]
    assert set(named) == {row["dependency"] for row in recipes.dependencies() if row["part"] not in ("tests", "robots")}


def test_metadata_say_the_same_of_the_library():
    codemeta, zenodo = (json.loads(recipes.contents(file)) for file in ("codemeta.json", ".zenodo.json"))
    citation = recipes.contents("CITATION.cff")
    assert f'title: "{zenodo["title"]}"' in citation
    assert f"keywords: [{', '.join(codemeta['keywords'])}]" in citation and codemeta["keywords"] == zenodo["keywords"]
    assert codemeta["author"][0]["name"] == zenodo["creators"][0]["name"] == re.search('- name: "(.*)"', citation)[1]


def test_the_image_runs_both_commands_of_the_readme():
    lines = recipes.contents("packaging/docker/Dockerfile").splitlines()
    assert len(lines) <= 20
    commands = re.findall(r"(?m)^(scripts/\S+\.sh)   +#", recipes.contents("README.md"))
    assert len(commands) == 2
    assert [line[4:] for line in lines if line.startswith("RUN scripts/")] == commands


# ---- the wheel -----------------------------------------------------------------------------------------------------


def pyproject():
    tomllib = pytest.importorskip("tomllib")
    return tomllib.loads(recipes.contents("pyproject.toml"))


def test_the_wheel_has_the_version_of_the_header():
    provider = pyproject()["tool"]["scikit-build"]["metadata"]["version"]
    parts = re.search(provider["regex"], recipes.contents(provider["input"])).groupdict()
    assert pyproject()["project"]["dynamic"] == ["version"]
    assert provider["result"].format(**parts) == recipes.version()


def test_the_wheel_requires_what_the_list_says():
    project = pyproject()
    needed = [each for each in project["build-system"]["requires"] if not each.startswith("scikit-build-core")]
    assert set(needed) == listed("pypi", {"python"})
    assert set(project["project"]["dependencies"]) == {"numpy"}
    python = next(row for row in recipes.dependencies() if row["dependency"] == "Python")
    assert project["project"]["requires-python"] == f">={python['minimum']}"
    oldest = project["tool"]["cibuildwheel"]["build"].split()[0]
    assert oldest == f"cp{python['minimum'].replace('.', '')}-*"


def test_what_the_wheel_sets_and_builds_exists_in_cmake():
    settings = pyproject()["tool"]["scikit-build"]
    lists = recipes.contents("CMakeLists.txt") + recipes.contents("bindings/python/CMakeLists.txt")
    for name in settings["cmake"]["define"]:
        if name.startswith("sunlagrange_"):
            assert re.search(rf"(?:option|set)\({name}[ \n]", lists), name
    for target in settings["build"]["targets"]:
        assert re.search(rf"(?:add_custom_target|python3_add_library)\({target} ", lists), target
    assert f"set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME {settings['install']['components'][0]})" in lists
    assert "py.typed" in lists and "__init__.pyi" in lists


def test_the_source_distribution_leaves_nothing_out():
    assert "sdist" not in pyproject()["tool"]["scikit-build"]  # all files but those that git ignores
    if not shutil.which("git") or not os.path.exists(os.path.join(ROOT, ".git")):
        pytest.skip("this is no clone")
    ignored = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--ignored", "--exclude-standard"],
                             capture_output=True, text=True, check=True).stdout
    assert ignored == "", "files of the repository that .gitignore hides from the source distribution"


def test_licences_that_the_wheel_names_are_there():
    for file in pyproject()["project"]["license-files"]:
        assert os.path.exists(os.path.join(ROOT, file)), file


# ---- the release ---------------------------------------------------------------------------------------------------


def test_a_new_version_and_an_archive_are_written_everywhere(tmp_path, monkeypatch):
    for file in {*recipes.PLACES, *recipes.RECIPES.values(), "include/sunlagrange/version.hpp"}:
        copy = tmp_path / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.join(ROOT, file), copy)
    header = tmp_path / "include/sunlagrange/version.hpp"
    header.write_text(re.sub(r"(VERSION_PATCH) \d+", r"\1 17", header.read_text()))
    monkeypatch.setattr(recipes, "ROOT", tmp_path)
    assert recipes.version().endswith(".17")
    recipes.write("https://example.com/archives/", "a" * 64, "b" * 128)
    assert {stated for _, stated in recipes.stated_versions()} == {recipes.version()}
    assert set(recipes.sources().values()) == {("https://example.com/archives", "a" * 64),
                                               ("https://example.com/archives", "b" * 128)}
