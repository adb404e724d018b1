"""Formulas as pure functions, each with its source. No clock, no store, no settings.

bm25        Okapi's formula, and FTS5's form of it       fusion      reciprocal rank fusion
decay       half-life, rate, linear window               ranks       ordinal, dense, competition
activation  spreading over links                         pagerank    query-biased
normalise   raw scores to 0…1                            similarity  cosine, overlap, distance
evidence    words, neighbours and vectors on one scale   numbers     arithmetic of numbers and expressions alike
relevance   the probability that a result is relevant
metrics     quality of a ranking, by the grades of judged memories
"""
