"""Solve a game layer by layer; write, find, open and remove its table."""
