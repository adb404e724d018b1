"""The steps a profile is made of: frozen dataclasses whose fields are their parameters.

recall     the sources: full text, vectors, recently accessed, neighbours over links
session    the source of what was said just before and after
evidence   words, neighbours, meaning, names and dates, added up on one scale
newer      of two that say the same, the later one first
normalise  raw scores to 0…1                 fuse    several ranked lists to one score
weigh      decay, confidence, recency, strength, status, source, importance
spread     activation and rank over links    conflict  of two that contradict, the weaker is demoted
filter     thresholds, session, context, place        dedup   near-copies of a better one
cut        top k, token budget
"""
