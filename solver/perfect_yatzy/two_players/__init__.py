"""Two players who take turns, solved exactly."""
