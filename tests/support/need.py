"""What some tests need beyond the package: skipped where it is missing, failed where CI should
have installed it.
"""

import importlib
import os
import shutil
from typing import Any

import pytest

CI = bool(os.environ.get("CI"))  # set by .ci/run and by hosted CI services


def need(module: str, installed_by: str = "make test") -> Any:
    """Import an optional module; skip the test or test file without it, fail in CI."""
    if CI:
        return importlib.import_module(module)
    return pytest.importorskip(
        module, reason=f"{module} is not installed ({installed_by} installs it)"
    )


def need_program(*names: str) -> str:
    """Path of the first of these programs; skip the test or test file without any of them, fail
    in CI.
    """
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        message = f"none of these programs is installed: {', '.join(names)}"
        if CI:
            pytest.fail(message, pytrace=False)
        pytest.skip(message, allow_module_level=True)
    return found
