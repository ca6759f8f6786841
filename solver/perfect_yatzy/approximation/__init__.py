"""Games too large to solve: a certified upper bound, and a fitted strategy with its mean."""
