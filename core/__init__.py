"""The retrieval core: a library that could be published alone. It knows no Qt, no server, no front-end.

Read it bottom up; imports only ever point down (import-linter contracts in pyproject.toml prove it):

    services                       the only door front-ends knock on
    curate                         changing what is remembered, verdicts, undo
    write                          judged when something is remembered: duplicates, contradictions, secrets
    profiles | evaluate | exchange the published designs · how well they rank · one file a format
    pipeline | store | embed       sources and stages, traced · the only SQL · the only models
    formulas                       numbers in, numbers out, with their sources
    changes | draft | search       operations and what they touched · untrusted fields to a memory · how is asked
      | wording                    how a change is told, and what a question asks for
    model | text | word_diff       plain values · words in every language · how a text became another
    clock | progress | folders     the time · how far work is · where this user's files are
      | safe_files | telling       the only way to write a file · how numbers are told to people
    errors                         what a user may read
"""
