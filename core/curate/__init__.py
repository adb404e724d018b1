"""Changing what is remembered: each operation checks what it is asked and uses the store's verbs; nothing else writes.

operations   edit, pin, archive, restore, forget, reinforce, decay, supersede, merge, split, link, unlink
conflicts    contradictions: clusters, the strength of each side, a person's verdict
consolidate  which memories say the same and which have faded, as a plan; and carrying it out
merging      what one memory made of several holds, and how sure it is
undo         which operations can be taken back, alone or in groups, and brought back again
"""
