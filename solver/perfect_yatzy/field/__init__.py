"""A field: players whose cards one cannot see; the best chance to beat it, and its equilibrium."""
