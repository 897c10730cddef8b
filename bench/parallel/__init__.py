"""What `wastenot balance` and `advise` say of live OpenMP and Open MPI programs, beside what the programs measure.

`programs` builds, starts and records them, `measured_ranks` cuts both sides to the same time, `utilization`, `daemon`
and `advice` are the parts, `__main__` runs them. `tests/live` uses the first two.
"""
