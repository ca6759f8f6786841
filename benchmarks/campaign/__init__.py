"""Many random cases of damage and malformed input, counted: `make campaign`. The oracles are in
`tests/support`.
"""
