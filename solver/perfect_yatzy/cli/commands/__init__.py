"""The commands: each module reads options, calls the service or a package below it, and prints a
view.
"""
