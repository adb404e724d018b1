"""The steps a profile is made of: frozen dataclasses whose fields are their parameters.

recall     the sources: full text, vectors, recently accessed, linked memories
session    the source of session neighbours
evidence   BM25, session neighbours, vector similarity, entities and dates, added up on one scale
relevance  nothing is returned where nothing is relevant
prefer_updates         of two memories about the same, the later first
normalise  raw scores to 0…1                 fuse    several ranked lists to one score
weigh      decay, confidence, recency, strength, status, source, importance
spread     activation and PageRank over links
contradiction_penalty  of two memories that contradict each other, the weaker is demoted
filter     thresholds, session, context, place        dedup   near-copies of a better result
cut        top k, token budget
"""
