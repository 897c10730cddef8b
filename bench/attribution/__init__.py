"""`make attribution`: how often the checker names the right cause, on cases whose cause is known.

`labels` says what is true of a case, `corpus` makes the cases and measures them, `score` counts, `__main__` prints.
"""
