"""How fast it is: `python -m tests.benchmarks` runs what is here and prints tables.

generator.py makes the memories and the questions, workload.py keeps them on disk, timing.py takes times in turn,
tables.py writes; starting, recalling, looking, writing, serving and desktop measure; peers/ holds other programs.
"""
