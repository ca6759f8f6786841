"""The commands of `yatzy`, by what they are about. Modules that need numpy or numba are imported where used."""
