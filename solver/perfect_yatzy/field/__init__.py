"""The best chance to beat a field of players whose cards one cannot see, and its equilibrium."""
