"""What is solved besides the mean: goals, utilities, and quantities under a policy, each with its kernels."""
