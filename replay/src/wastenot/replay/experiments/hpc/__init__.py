"""Imbalance of parallel programs on cores whose hardware threads have priorities: the class hpc and DLRB.

Source: Boneti, doctoral thesis, Universitat Politècnica de Catalunya, 2009, chapters 2 to 5. A module for each
application, and `dlrb`; `case` compares a run with a row of a table.
"""

from wastenot.replay.experiments.hpc import bt_mz, dlrb, fft_lu, metbench, siesta

EXPERIMENTS = (
    fft_lu.EXPERIMENT, metbench.STATIC_EXPERIMENT, bt_mz.STATIC_EXPERIMENT, siesta.STATIC_EXPERIMENT,
    metbench.EXPERIMENT, metbench.VARYING_EXPERIMENT, bt_mz.EXPERIMENT, siesta.EXPERIMENT, dlrb.EXPERIMENT,
)  # fmt: skip
"""In the order of the thesis's tables."""

__all__ = ["EXPERIMENTS"]
