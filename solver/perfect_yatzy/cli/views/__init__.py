"""The text and files that the commands print.

Each view takes an answer and returns lines or the contents of a file.
"""
