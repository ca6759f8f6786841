"""Planted bugs: small changes of the code that the tests should catch, `make mutants`.

mutmut and cosmic-ray know only Python, Stryker only JavaScript, and each runs the tests in its own
way; mutmut calls every function through another one, which Numba cannot compile. So the changes
are found here, on the syntax trees of tree-sitter, which has a parser of both languages.
"""
