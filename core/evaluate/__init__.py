"""Golden sets: judged queries, how well something ranks them, and which parameters rank them better.

judgement.py  judged queries, and the files they come in      runner.py  a ranking of each, scored
report.py     means, categories, comparison                   tune.py    search over parameters, with a held-out part
It knows no profile: the caller passes a function from a query to a ranking.
"""
