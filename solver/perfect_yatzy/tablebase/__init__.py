"""Solve a game layer by layer, and write, find, open and remove its table."""
