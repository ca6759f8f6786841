"""The page as a folder of files for any static host, with the engine in the browser: `yatzy
site`.
"""
