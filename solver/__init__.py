"""Exact optimal play for Yatzy and its relatives."""
