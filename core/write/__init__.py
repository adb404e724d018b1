"""What happens when something is remembered, judged purely: the services gather the facts and write the outcome.

authorship     whose word it is, and what an agent may not set
contradiction  does it speak against what is known, by which rule, how surely
duplicate      is this known already, by which rule and number
particulars    what in a text no other word can stand for
markers        memories that an agent marks in what it writes
secrets        credentials taken out before anything of them is written
weave          the conversation's own links: what came before, what shares its topic, what it refers to
"""
