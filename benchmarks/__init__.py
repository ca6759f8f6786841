"""Times of the solver, each answer asserted before its time is printed. Run with `make bench`."""
