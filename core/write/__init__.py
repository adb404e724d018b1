"""What happens when something is remembered, judged purely: the services gather the facts and write the outcome.

authorship          whose word it is, and what an agent may not set
casing              whether texts that are equal but for case are one
contradiction       does it speak against what is known, by which rule, how surely
credential_context  credentials that are known by what stands beside them
credential_forms    credentials that are known by the form their issuer gives them
credential_values   what tells a password or a key from words, names and code
duplicate           is this known already, by which rule and number
particulars         what in a text no other word can stand for
markers             memories that an agent marks in what it writes
secrets             credentials taken out before anything of them is written: the one door
weave               the conversation's own links: what came before, what shares its topic, what it refers to
"""
