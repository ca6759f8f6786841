"""Texts of rule files that several tests use."""

# Three boxes and three dice: solved in memory, in no time.
SHORT = """\
id = "short"
name = "Short Game"
summary = "three boxes"
dice = 3
bonus = { threshold = 6, points = 10 }

[[categories]]
id = "sixes"
name = "All Sixes"
upper = true
pattern = "face"
face = 6

[[categories]]
id = "pair"
name = "A Pair"
pattern = "groups"
groups = [2]

[[categories]]
id = "any"
name = "Whatever"
pattern = "any"

[switches.late]
summary = "a pair pays 20"
categories.pair.points = 20
"""
