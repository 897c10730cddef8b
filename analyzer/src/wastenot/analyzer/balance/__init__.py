"""Balance of parallel programs: applications and their ranks, iterations, and what the time of each rank went to."""
