"""The commands of the terminal.

Each module reads options, calls the service or a package below it, and prints a view.
"""
