"""The modules of the page as one script: a browser asks for one file instead of fifty.

Every module becomes an asynchronous function that asks for the modules it imports, in their order,
and gives what it exports. So the order of a browser is kept, a module waits for the words of the
page, and each module is run once. An exported ``let`` changes later: it becomes a variable of the
whole script, which the modules that import it see under its name.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable
from graphlib import TopologicalSorter

IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?:(?:async )?function|const|class|(let)) (\w+)", re.MULTILINE)
EXPORT_LIST = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
WHEN_RUN = re.compile(r"\bimport\(([^()]*)\)")  # of a module that is asked for when the page runs
# A line of its own, or the end of one in which no text follows that could contain it.
COMMENT = re.compile(r"^\s*//.*\n|(?<=[;,{}()\]]) +// [^\"'`\n]*$", re.MULTILINE)
INDENT = re.compile(r"^[ ]+", re.MULTILINE)

# These names are taken: no module may declare them.
LOADER = """const pageFolder = new URL({base}, import.meta.url), madeModules = {{}};
const loadModule = (name) => (madeModules[name] ??= pageModules[name]());
const loadFrom = (place, path) =>
  loadModule(new URL(path, new URL(place, "page:/")).pathname.slice(1));
globalThis.loadModule = loadModule; // for tests
for (const name of {entries}) await loadModule(name);
"""
TAKEN = re.compile(r"\b(?:pageFolder|pageModules|madeModules|loadModule|loadFrom)\b")


class Module:
    """A module of the page, taken apart."""

    def __init__(self, name: str, text: str) -> None:
        if TAKEN.search(text):
            raise ValueError(f"{name} uses a name of the bundle")
        self.name = name
        folder = posixpath.dirname(name)

        def resolved(path: str) -> str:
            return posixpath.normpath(f"{folder}/{path}")

        # the paths of other modules, each with the names that are imported from it
        self.imports = [(resolved(path), _names(names)) for names, path in IMPORT.findall(text)]
        self.imported = [path for path, _imported in self.imports]
        self.when_run: list[str] = []  # the paths of those that are imported later
        for argument in WHEN_RUN.findall(text):
            self.when_run += map(resolved, re.findall(r'"([^"]+)"', argument))
        self.variables: list[str] = []  # the names that are exported
        self.constants: list[str] = []
        for let, exported in EXPORT.findall(text):
            if let:
                self.variables.append(exported)
            else:
                self.constants.append(exported)
        for names in EXPORT_LIST.findall(text):
            self.constants += _names(names)
        body = EXPORT_LIST.sub("", IMPORT.sub("", text))
        body = re.sub(r"^export (let )?", "", body, flags=re.MULTILINE)
        body = WHEN_RUN.sub(rf"loadFrom({json.dumps(name)}, \1)", body)
        self.body = body.replace("import.meta.url", f"new URL({json.dumps(name)}, pageFolder)")


def _names(listed: str) -> list[str]:
    """The names of a list in braces, such as ``a, b as c``."""
    return [name for name in re.split(r"\s*,\s*", listed.strip()) if name]


def bundle(
    entries: list[str], read: Callable[[str], str], *, base: str = "./", is_compact: bool = False
) -> str:
    """The entries, run in this order, with all modules they need.

    Parameters
    ----------
    entries
        Paths of modules below the folder of the page.
    read
        Gives the text of a module.
    base
        The folder of the page as seen from the script.
    is_compact
        Without comments and indentation, for hosts that do not compress.
    """
    modules: dict[str, Module] = {}
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name not in modules:
            modules[name] = Module(name, read(name))
            waiting += modules[name].imported + modules[name].when_run
    # Modules that import each other would wait for each other: this raises CycleError.
    TopologicalSorter({name: module.imported for name, module in modules.items()}).prepare()
    variables = [variable for name in sorted(modules) for variable in modules[name].variables]
    if len(set(variables)) < len(variables):
        raise ValueError(f"modules of the page export variables of one name: {variables}")
    parts = [f"let {', '.join(variables)};\n"] if variables else []
    parts.append("const pageModules = {\n")
    parts += [_function(modules[name], modules) for name in sorted(modules)]
    parts += ["};\n", LOADER.format(base=json.dumps(base), entries=json.dumps(entries))]
    text = "".join(parts)
    return INDENT.sub("", COMMENT.sub("", text)) if is_compact else text


def _function(module: Module, modules: dict[str, Module]) -> str:
    """A module as a function that gives its exports."""
    imports = "\n".join(
        _import_statement(module, modules[name], names) for name, names in module.imports
    )
    getters = [f"get {variable}() {{ return {variable}; }}" for variable in module.variables]
    exports = ", ".join(module.constants + getters)
    name = json.dumps(module.name)
    return f"async {name}() {{\n{imports}\n{module.body}\nreturn {{ {exports} }};\n}},\n"


def _import_statement(module: Module, other: Module, names: list[str]) -> str:
    """The statement that loads another module and takes constants from it. `names` are those of the
    import, such as ``a`` or ``b as c``. ValueError if the module does not export one of them.
    """
    taken = []
    for text in names:
        name, _as, alias = text.partition(" as ")
        if name in other.constants:
            taken.append(f"{name}: {alias}" if alias else name)
        elif alias or name not in other.variables:  # a variable is seen by the whole script
            raise ValueError(
                f"{module.name} imports {name} of {other.name}, "
                "which does not export it; an exported variable cannot be renamed"
            )
    load = f"await loadModule({json.dumps(other.name)});"
    return f"const {{ {', '.join(taken)} }} = {load}" if taken else load
