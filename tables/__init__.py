"""The readable strategy tables and the script that writes them."""
