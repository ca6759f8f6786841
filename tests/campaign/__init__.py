"""Many random cases of damage and malformed input, counted: `make campaign`."""
