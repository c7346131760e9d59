#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/recipes.py [--write [ADDRESS SHA256 SHA512]]

Every place that states the version of the library, and what each recipe of `packaging` requires. Without arguments it
lists both, with exit code 1 if a place states another version than include/sunlagrange/version.hpp. --write makes all
places state that version, and gives the recipes the address (a folder, which is the home page as well) and the checksums
of the archive of a release.
"""

import ast
import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Each first group is the version; a file may state it several times.
VERSION = r"(\d+\.\d+\.\d+)"
ARCHIVE = rf"sunlagrange-{VERSION}\.tar\.gz"
PLACES = {
    "CHANGELOG.md": [rf"(?m)\A(?:(?!^## ).*\n)*## (?:Unreleased \()?{VERSION}"],
    "CITATION.cff": [rf"(?m)^version: {VERSION}$"],
    "README.md": [rf"Version {VERSION} ", rf"(?m)^sunlagrange {VERSION}: "],
    "codemeta.json": [rf'"version": "{VERSION}"'],
    ".zenodo.json": [rf'"version": "{VERSION}"'],
    "packaging/vcpkg/sunlagrange/vcpkg.json": [rf'"version": "{VERSION}"'],
    "packaging/conda/recipe.yaml": [rf'(?m)^  version: "{VERSION}"$'],
    "packaging/spack/packages/sunlagrange/package.py": [rf'version\("{VERSION}"', ARCHIVE],
    "packaging/conan/conanfile.py": [rf'(?m)^    version = "{VERSION}"$'],
    "packaging/homebrew/sunlagrange.rb": [ARCHIVE],
}
RECIPES = {
    "vcpkg": "packaging/vcpkg/sunlagrange/portfile.cmake",
    "conda": "packaging/conda/recipe.yaml",
    "spack": "packaging/spack/packages/sunlagrange/package.py",
    "conan": "packaging/conan/conanfile.py",
    "homebrew": "packaging/homebrew/sunlagrange.rb",
}
ADDRESS = r"(https?://[^\s\"']+)/sunlagrange-"
CHECKSUM = r"\b([0-9a-f]{128}|[0-9a-f]{64})\b"


def contents(file):
    return (ROOT / file).read_text(encoding="utf-8")


def version():
    """MAJOR.MINOR.PATCH of include/sunlagrange/version.hpp."""
    header = contents("include/sunlagrange/version.hpp")
    return ".".join(re.search(rf"#define SUNLAGRANGE_VERSION_{part} (\d+)", header)[1]
                    for part in ("MAJOR", "MINOR", "PATCH"))


def stated_versions():
    """Pairs of a file and a version that it states."""
    return [(file, found) for file, patterns in PLACES.items() for pattern in patterns
            for found in re.findall(pattern, contents(file)) or ["none"]]


def dependencies():
    """The rows of packaging/dependencies.csv."""
    with open(ROOT / "packaging/dependencies.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def calls(file, function):
    """The calls of a function in a file of Python."""
    return [node for node in ast.walk(ast.parse(contents(file)))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function]


def vcpkg():
    named = json.loads(contents("packaging/vcpkg/sunlagrange/vcpkg.json"))["dependencies"]
    return {each for each in named if isinstance(each, str)}  # the others are tools of the host


def conda():
    import yaml

    return set(yaml.safe_load(contents(RECIPES["conda"]))["requirements"]["host"])


def spack():
    def is_tool(call):
        return any(each.arg == "type" and ast.literal_eval(each.value) == "build" for each in call.keywords)

    return {ast.literal_eval(call.args[0]) for call in calls(RECIPES["spack"], "depends_on") if not is_tool(call)}


def conan():
    for node in ast.walk(ast.parse(contents(RECIPES["conan"]))):
        if isinstance(node, ast.Assign) and node.targets[0].id == "requires":
            return set(ast.literal_eval(node.value))
    return set()


def homebrew():
    return set(re.findall(r'^  depends_on "([^"]+)"$', contents(RECIPES["homebrew"]), re.MULTILINE))


def requirements(recipe):
    """What the recipe of this package manager requires besides compilers and build tools."""
    return {"vcpkg": vcpkg, "conda": conda, "spack": spack, "conan": conan, "homebrew": homebrew}[recipe]()


def sources():
    """For each recipe the folder of the archive and its checksum."""
    return {recipe: (re.search(ADDRESS, contents(file))[1], re.search(CHECKSUM, contents(file))[1])
            for recipe, file in RECIPES.items()}


def replaced(text, pattern, value):
    """The text with `value` in place of the first group of every match."""
    return re.sub(pattern, lambda match: match[0].replace(match[1], value, 1), text)


def write(address=None, sha256=None, sha512=None):
    before = sources()["conan"][0]
    for file in {*PLACES, *RECIPES.values()}:
        text = contents(file)
        for pattern in PLACES.get(file, []):
            text = replaced(text, pattern, version())
        if address and file.startswith("packaging/"):
            text = text.replace(before, address.rstrip("/"))
            text = re.sub(CHECKSUM, lambda match: sha512 if len(match[1]) == 128 else sha256, text)
        (ROOT / file).write_text(text, encoding="utf-8")


def main():
    if len(sys.argv) in (2, 5) and sys.argv[1] == "--write":
        write(*sys.argv[2:])
        return 0
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    for file, stated in stated_versions():
        print(f"{stated:8} {file}{'' if stated == version() else f', but version.hpp says {version()}'}")
    for recipe, (address, checksum) in sources().items():
        print(f"{recipe}: {address}, {checksum[:12]}...: {', '.join(sorted(requirements(recipe)))}")
    return 0 if all(stated == version() for _, stated in stated_versions()) else 1


if __name__ == "__main__":
    sys.exit(main())
