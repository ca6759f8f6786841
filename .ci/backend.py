"""The build backend: setuptools, with the same bytes from the same source on every machine, and an
SBOM in the wheel.

Each hook compiles the catalogues of the languages first. Zopfli packs the wheel smaller than
zlib does; an editable installation does not need it. Entries of both archives are sorted and
have one time (SOURCE_DATE_EPOCH, else 1980) and one mode; a CycloneDX 1.6 document lies in
``.dist-info/sboms`` (PEP 770).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import tarfile
import time
import tomllib
import uuid
import zipfile
from collections.abc import Mapping
from email import message_from_bytes
from io import BytesIO
from pathlib import Path
from re import match
from typing import Any

from catalogues import compile_catalogues
from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  the other hooks

ROOT = Path(__file__).resolve().parents[1]
EPOCH = 315_532_800  # 1980-01-01, the first time that a zip file can have


def source_time() -> int:
    return max(EPOCH, int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH)))


def mode_of(executable: bool) -> int:
    return 0o755 if executable else 0o644


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    compile_catalogues()
    name = build_meta.build_sdist(sdist_directory, config_settings)
    path = Path(sdist_directory, name)
    packed = BytesIO()
    with (
        tarfile.open(path) as old,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda each: each.name):
            if not member.isfile():
                continue
            entry = tarfile.TarInfo(member.name)
            entry.size, entry.mtime, entry.mode = (
                member.size,
                source_time(),
                mode_of(bool(member.mode & 0o100)),
            )
            new.addfile(entry, old.extractfile(member))
    path.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))
    return name


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), "zopflipy>=1.14"]


def build_wheel(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    from zopfli import ZipFile

    compile_catalogues()
    name = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    path = Path(wheel_directory, name)
    with zipfile.ZipFile(path) as old:
        files = {entry.filename: old.read(entry) for entry in old.infolist() if not entry.is_dir()}
    info = next(each for each in files if each.endswith(".dist-info/METADATA")).rpartition("/")[0]
    files[f"{info}/sboms/perfect-yatzy.cdx.json"] = sbom(
        message_from_bytes(files[f"{info}/METADATA"])
    )
    del files[f"{info}/RECORD"]
    files = dict(sorted(files.items())) | {f"{info}/RECORD": record(files, f"{info}/RECORD")}
    with ZipFile(path, "w", iterations=15) as new:
        for file, content in files.items():
            entry = zipfile.ZipInfo(file, time.gmtime(source_time())[:6])
            entry.compress_type, entry.create_system, entry.external_attr = (
                zipfile.ZIP_DEFLATED,
                3,
                0o100644 << 16,
            )
            new.writestr(entry, content)
    return name


def build_editable(
    wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None
) -> str:
    compile_catalogues()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def record(files: Mapping[str, bytes], own: str) -> bytes:
    """The list of files with their hashes; its own line has none."""
    lines = []
    for file, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{file},sha256={digest},{len(content)}\n")
    return "".join([*lines, f"{own},,\n"]).encode()


def sbom(metadata: Mapping[str, str]) -> bytes:
    """The CycloneDX document of the wheel: the dependencies with their ranges. Nothing is
    bundled.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = f"pkg:pypi/{metadata['Name']}@{metadata['Version']}"
    wanted = [(each, "required") for each in project["dependencies"]]
    wanted += [
        (each, "optional") for group in project["optional-dependencies"].values() for each in group
    ]
    components = []
    for requirement, scope in wanted:
        name, versions = match(r"([A-Za-z0-9-]+)(.*)", requirement).groups()  # type: ignore[union-attr]
        purl = f"pkg:pypi/{name}"
        components.append(
            {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "purl": purl,
                "scope": scope,
                "properties": [{"name": "perfect-yatzy:versions", "value": versions.strip()}],
            }
        )
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, own)}",
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": own,
                "name": metadata["Name"],
                "version": metadata["Version"],
                "purl": own,
                "description": project["description"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [each["bom-ref"] for each in components]}],
    }
    return (json.dumps(document, indent=1) + "\n").encode()
