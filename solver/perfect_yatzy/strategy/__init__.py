"""What a solved table can answer: holds, categories, batches, distributions, goals, simulations."""
