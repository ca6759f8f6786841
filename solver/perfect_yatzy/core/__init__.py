"""The solver: rules as data, states, the turn, layers, the table."""
