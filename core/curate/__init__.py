"""Operations that change memories: each checks its input and writes through a transaction.

operations      edit, pin, archive, restore, forget, reinforce, decay, supersede, merge, split, link, unlink
contradictions  clusters, the strength of each side, a person's resolution
consolidate     near-duplicates and decayed memories as a plan, and its execution
merging         the content and confidence of a merged memory
undo            which operations can be undone, alone or in groups, and redone
"""
