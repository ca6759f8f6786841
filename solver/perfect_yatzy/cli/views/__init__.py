"""The text and files that the commands print: each view takes an answer and returns lines or
file contents.
"""
