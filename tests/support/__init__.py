"""Helpers that several tests share: small games, oracles in fractions, the command as a user
runs it.
"""
