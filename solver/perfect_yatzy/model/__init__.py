"""A game as a Markov decision process in flat arrays: states, one turn, objectives, estimates of size and time."""
