"""The retrieval core: a library that could be published alone. It knows no Qt, no server, no front-end.

Read it bottom up; imports only ever point down (import-linter contracts in pyproject.toml prove it):

    services                       the only door front-ends knock on
    exchange                       one file a format: bytes to memories, memories to bytes
    store | embed                  the only SQL · the only models
    changes | draft                operations and what they touched · untrusted fields to a valid memory
    model | text | clock | errors  plain values
"""
