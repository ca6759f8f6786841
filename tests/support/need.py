"""What some tests need beyond the package: skipped where it is missing, failed where CI should
have installed it.
"""

import importlib
import os
import shutil
import sys
from typing import Any

import pytest

CI = bool(os.environ.get("CI"))  # set by .ci/run and by hosted CI services


def need(module: str) -> Any:
    """Import an optional module; skip the test or test file without it, fail in CI, which proves
    that `make test-all` installs it.
    """
    if CI:
        return importlib.import_module(module)
    if module in sys.stdlib_module_names:
        reason = f"Python has no {module} on this system"
    else:
        reason = f"{module} is not installed (make test-all installs it)"
    return pytest.importorskip(module, reason=reason)


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
