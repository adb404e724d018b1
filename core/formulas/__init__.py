"""Numbers in, numbers out: one formula, one place, its source. No clock, no store, no settings.

bm25        Okapi's formula, and FTS5's form of it       fusion      reciprocal rank fusion
decay       half-life, rate, linear window               ranks       ordinal, dense, competition
activation  spreading over links                         pagerank    query-biased
normalise   raw scores to 0…1                            similarity  cosine, overlap, distance
evidence    what words, neighbours and vectors are worth, on one scale
metrics     how good a ranking is, by the grades of what was judged
"""
