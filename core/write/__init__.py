"""Checks of a new text, as pure functions: the services gather the facts and write the result.

authorship          who wrote a memory, and which fields an agent may not set
casing              whether a difference in case is a difference in meaning
contradiction       whether it contradicts a known memory, by which rule and with which confidence
credential_context  credentials recognised by their context
credential_forms    credentials recognised by the format of their issuer
credential_values   password or key, as opposed to words, names and code
duplicate           whether it is a duplicate, by which rule and score
particulars         identifiers, numbers and negations that two duplicates must share
markers             memories that an agent marks in its output
secrets             credentials redacted before anything is written: the only entry point
link_inference      links of a conversation: previous message, same topic, reference
"""
