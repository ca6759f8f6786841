"""What is released: the same bytes from the same source, an SBOM, the contents of wheel and npm package."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from base64 import urlsafe_b64decode
from pathlib import Path

import pytest
from perfect_yatzy._version import __version__
from support.command import ROOT
from support.need import CI, need

pytestmark = pytest.mark.full
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", "*.npy", "*.mo", "messages"
)


def build(source: Path, out: Path, umask: int = 0o022) -> dict[str, Path]:
    """Source distribution and wheel of a source folder by its backend, without a network."""
    out.mkdir()
    program = f"import backend; print(backend.build_sdist({str(out)!r})); print(backend.build_wheel({str(out)!r}))"
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(source / ".ci"), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", program]
    subprocess.run(command, cwd=source, env=env, umask=umask, capture_output=True, check=True)
    return {path.suffix: path for path in out.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Path]]:
    """Two builds: of two copies with other times, modes and places."""
    if int(need("setuptools").__version__.partition(".")[0]) < 77:
        assert not CI
        pytest.skip("setuptools is older than 77 (make test installs it)")
    found = []
    for name, umask in (("one", 0o022), ("another-place", 0o077)):
        folder = tmp_path_factory.mktemp(name)
        source = Path(shutil.copytree(ROOT, folder / name, ignore=LEFT_OUT, copy_function=shutil.copyfile))
        for path in (".ci/package", ".ci/lowest", ".ci/run", ".ci/bounds"):
            (source / path).chmod(0o755 & ~umask)
        found.append(build(source, folder / "dist", umask))
    return found


def test_two_builds_have_the_same_bytes(built: list[dict[str, Path]]) -> None:
    one, other = built
    assert set(one) == {".gz", ".whl"}
    for kind, path in one.items():
        digests = {hashlib.sha256(each.read_bytes()).hexdigest() for each in (path, other[kind])}
        assert len(digests) == 1, kind
        assert path.name == other[kind].name


def test_the_wheel_has_the_package_alone_and_each_file_as_recorded(built: list[dict[str, Path]]) -> None:
    with zipfile.ZipFile(built[0][".whl"]) as wheel:
        names = wheel.namelist()
        info = f"perfect_yatzy-{__version__}.dist-info/"
        assert {name.partition("/")[0] + "/" for name in names} == {"perfect_yatzy/", info}
        kinds = {"py", "toml", "js", "css", "html", "json", "svg", "png", "mo", "po", "typed", "webmanifest"}
        assert {name.rpartition(".")[2] for name in names if not name.startswith(info)} <= kinds
        # The source has no compiled catalogues.
        assert sum(name.endswith(".mo") for name in names) == sum("/static/messages/" in name for name in names) == 5
        rows = [*csv.reader(wheel.read(f"{info}RECORD").decode().splitlines())]
        assert sorted(row[0] for row in rows) == sorted(names)
        for name, digest, size in rows:
            if name == f"{info}RECORD":
                continue
            content = wheel.read(name)
            padded = digest.removeprefix("sha256=") + "="
            assert (hashlib.sha256(content).digest(), len(content)) == (urlsafe_b64decode(padded), int(size)), name


def test_the_sbom_names_the_wheel_and_its_dependencies(built: list[dict[str, Path]]) -> None:
    with zipfile.ZipFile(built[0][".whl"]) as wheel:
        (name,) = (each for each in wheel.namelist() if "/sboms/" in each)
        document = json.loads(wheel.read(name))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"].values()
    asked = [*project["dependencies"], *(each for group in optional for each in group)]
    assert re.fullmatch(r"perfect_yatzy-[0-9.]+\.dist-info/sboms/perfect-yatzy\.cdx\.json", name)
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    own = document["metadata"]["component"]
    assert (own["name"], own["version"]) == ("perfect-yatzy", __version__)
    assert [each["name"] for each in document["components"]] == [re.split(r"[<>=]", each)[0] for each in asked]
    refs = [each["bom-ref"] for each in document["components"]]
    assert document["dependencies"] == [{"ref": own["bom-ref"], "dependsOn": refs}]
    assert len({own["bom-ref"], *refs}) == len(refs) + 1


def test_the_source_has_what_its_tests_need(built: list[dict[str, Path]]) -> None:
    with tarfile.open(built[0][".gz"]) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {".ci/backend.py", ".ci/golden.py", "tests/data/golden.json", "tests/web/engine_driver.mjs"} <= names
    assert {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "Makefile"} <= names
    assert not [name for name in names if name.endswith((".npy", ".pyc")) or ".venv" in name]
