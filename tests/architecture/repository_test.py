# SPDX-License-Identifier: BSD-3-Clause
"""What a hosting site reads: workflows whose jobs are scripts of this repository, and files of habits."""

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import record_versions  # noqa: E402


def contents(file):
    with open(os.path.join(ROOT, file), encoding="utf-8") as text:
        return text.read()


def files(folder, ending):
    return sorted(os.path.join(folder, name) for name in os.listdir(os.path.join(ROOT, folder)) if name.endswith(ending))


def parsed(file):
    return pytest.importorskip("yaml").safe_load(contents(file))


def dry_run(command):
    """Exit code of a script that only reads its arguments."""
    return subprocess.run(shlex.split(command), cwd=ROOT, env={**os.environ, "SUNLAGRANGE_DRY_RUN": "1"},
                          capture_output=True, text=True, timeout=20, check=False)


def jobs():
    for file in files(".github/workflows", ".yml"):
        for name, job in parsed(file)["jobs"].items():
            yield f"{os.path.basename(file)}: {name}", job


def expanded(text, job):
    """The text for every combination of the matrix of the job."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for values in itertools.product(*matrix.values()):
        filled = text
        for name, value in zip(matrix, values):
            filled = filled.replace("${{ matrix." + name + " }}", str(value))
        assert "${{" not in filled, filled
        yield filled


# ---- workflows -----------------------------------------------------------------------------------------------------


def test_each_job_is_one_script_that_takes_its_arguments():
    commands = set()
    for name, job in jobs():
        run = [step["run"] for step in job["steps"] if "run" in step]
        assert len(run) == 1 and "\n" not in run[0].strip(), f"{name}: a job is one script"
        assert job["steps"][0]["uses"].startswith("actions/checkout@"), name
        for command in expanded(run[0], job):
            script = os.path.join(ROOT, command.split()[0])
            assert command.startswith("scripts/") and os.access(script, os.X_OK), f"{name}: {command}"
            ended = dry_run(command)
            assert ended.returncode == 0, f"{name}: {command}: {ended.stderr}"
            commands.add(command)
        list(expanded(str(job["runs-on"]) + str(job.get("container", "")), job))
    assert len(commands) > 15


@pytest.mark.parametrize("command", [
    "scripts/slow_checks.sh sanitizer", "scripts/sundials_source.sh 5.8.0", "scripts/sundials_source.sh nowhere",
    "scripts/wheel.sh --each", "scripts/wheel_dependencies.sh",
    "scripts/wheel_dependencies.sh prefix hdf5", "scripts/release.sh --publish", "scripts/release.sh"])
def test_a_dry_run_refuses_wrong_arguments(command):
    ended = dry_run(command)
    assert ended.returncode == 2 and ended.stderr.strip(), command


def test_every_slow_check_has_a_job():
    known = re.search(r"(?m)^all=\((.*)\)$", contents("scripts/slow_checks.sh"))[1].split()
    assert dict(jobs())["weekly.yml: slow"]["strategy"]["matrix"]["check"] == known


def test_files_that_a_site_reads_are_valid():
    for file in [*files(".github/ISSUE_TEMPLATE", ".yml"), ".pre-commit-config.yaml", ".readthedocs.yaml"]:
        assert isinstance(parsed(file), dict), file
    for file in files(".github/ISSUE_TEMPLATE", ".yml"):
        form = parsed(file)
        if not file.endswith("config.yml"):
            assert form["name"] and form["description"] and form["body"], file
            names = [part["id"] for part in form["body"]]
            assert len(set(names)) == len(names), file
    for hook in parsed(".pre-commit-config.yaml")["repos"][0]["hooks"]:
        if hook["entry"].startswith("scripts/"):
            assert os.access(os.path.join(ROOT, hook["entry"].split()[0]), os.X_OK), hook["entry"]
    assert any("scripts/docs.sh" in command for command in parsed(".readthedocs.yaml")["build"]["commands"])
    for file in "SECURITY.md", "CODE_OF_CONDUCT.md", ".github/pull_request_template.md", ".editorconfig":
        assert contents(file).strip(), file


# ---- versions that were run ----------------------------------------------------------------------------------------


def test_the_table_of_versions_is_that_of_the_file():
    text = contents("INSTALL.md")
    assert record_versions.with_table(text, record_versions.rows()) == text, "run scripts/record_versions.py"
    assert [name for name in record_versions.rows() if int(name["passed"]) <= 100] == [], "that was not the whole suite"


def built(folder, ran, listed, failed=0):
    """A build folder as ctest leaves it, of this machine."""
    (folder / "Testing/Temporary").mkdir(parents=True)
    log = "".join(f"{k}/{ran} Testing: test {k}\n{k}/{ran} Test: test {k}\nTest {'Failed' if k <= failed else 'Passed'}.\n"
                  for k in range(1, ran + 1))
    (folder / "Testing/Temporary/LastTest.log").write_text(log)
    (folder / "CTestTestfile.cmake").write_text("".join(f'add_test("test {k}" "true")\n' for k in range(listed)))
    package = folder / "prefix/lib/cmake/sundials"
    package.mkdir(parents=True)
    (package / "SUNDIALSConfigVersion.cmake").write_text('set(PACKAGE_VERSION "7.1.1")\n')
    header = folder / "prefix/include/sundials/sundials_config.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define SUNDIALS_INT64_T\n")
    compiler = folder / "c++"
    compiler.write_text("#!/bin/sh\necho 'g++ (Debian 14.2.0-19) 14.2.0'\n")
    compiler.chmod(0o755)
    (folder / "CMakeCache.txt").write_text(f"CMAKE_CXX_COMPILER:STRING={compiler}\nSUNDIALS_DIR:PATH={package}\n")
    return folder


def test_a_whole_run_is_recorded_and_a_part_of_it_refused(tmp_path):
    row = record_versions.measured(built(tmp_path / "whole", ran=7, listed=7, failed=2))
    assert (row["compiler"], row["SUNDIALS"], row["indices"]) == ("g++ 14.2.0", "7.1.1", "64 bit")
    assert (row["passed"], row["failed"]) == ("5", "2") and list(row) == record_versions.FIELDS
    with pytest.raises(SystemExit, match="3 of 7 tests were run"):
        record_versions.measured(built(tmp_path / "part", ran=3, listed=7))


# ---- the release ---------------------------------------------------------------------------------------------------


def git(folder, *arguments):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
                   check=True, capture_output=True)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A small repository that is ready for a release."""
    pytest.importorskip("yaml")
    import recipes

    folder = tmp_path_factory.mktemp("release")
    names = ["include/sunlagrange/version.hpp", "docs/versions.csv", "scripts/release.sh", "scripts/recipes.py",
             "scripts/add_spdx.py", "packaging/dependencies.csv", *recipes.PLACES, *recipes.RECIPES.values()]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), folder / name)
    version = recipes.version()
    (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## {version} (2026-12-24)\n")
    (folder / "README.md").write_text(f"Version {version} is\n\nsunlagrange {version}: finished\n")
    (folder / "docs/versions.csv").write_text(",".join(record_versions.FIELDS) + "\n" + "".join(
        f"{system},g++ 12.2.0,6.4.1,64 bit,300,0,2026-12-24\n" for system in ("Debian 12", "Debian 13", "Ubuntu 24.04")))
    git(folder, "init", "-q")
    for command in ["scripts/add_spdx.py"], ["scripts/release.sh", "--archive", ".git/first", "https://example.com/archives"]:
        git(folder, "add", ".")
        git(folder, "commit", "-q", "--allow-empty", "-m", "all")
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    git(folder, "commit", "-q", "-a", "-m", "address")
    return folder


@pytest.fixture
def ready(release, tmp_path):
    return shutil.copytree(release, tmp_path / "copy")


def check(folder):
    ended = subprocess.run(["scripts/release.sh", "--check"], cwd=folder, capture_output=True, text=True, check=False,
                           env={**os.environ, "SUNLAGRANGE_DRY_RUN": ""})
    return ended.returncode, [line.split(":")[1].strip() for line in ended.stdout.splitlines() if "not ready" in line]


def test_a_release_that_is_ready_is_called_ready(ready):
    assert check(ready) == (0, [])


@pytest.mark.parametrize("file, pattern, by, said", [
    ("include/sunlagrange/version.hpp", r"MINOR \d+", "MINOR 77", "version"),
    ("CITATION.cff", r"(?m)^version: .*", "version: 0.0.9", "version"),
    ("CHANGELOG.md", r" \(.*\)", "", "changelog"),
    ("README.md", r"(Version \S+)", r"\1 is not released yet;\1", "readme"),
    ("packaging/homebrew/sunlagrange.rb", r"[0-9a-f]{64}", "0" * 64, "recipes"),
    ("docs/versions.csv", r"(Debian 13.*),0,", r"\1,2,", "versions"),
    ("scripts/recipes.py", "# SPDX.*", "# none", "licences"),
])
def test_each_thing_that_is_not_ready_is_named(ready, file, pattern, by, said):
    text = (ready / file).read_text()
    assert re.search(pattern, text), file
    (ready / file).write_text(re.sub(pattern, by, text, count=1))
    git(ready, "commit", "-q", "-a", "-m", "change")
    code, problems = check(ready)
    assert code == 1 and said in problems


def test_changes_that_are_not_committed_are_named(ready):
    (ready / "new").write_text("a file")
    assert check(ready) == (1, ["tree"])


def test_the_archive_of_a_commit_is_always_the_same(ready):
    sums = []
    for name in "one", "two":
        subprocess.run(["scripts/release.sh", "--archive", ready / ".git" / name], cwd=ready, check=True, capture_output=True)
        sums.append((ready / ".git" / name / "SHA512SUMS").read_text())
    assert sums[0] == sums[1] and len(sums[0].split()[0]) == 128
