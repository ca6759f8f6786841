"""Policies other than perfect play: evaluated exactly, learned, weakened."""
