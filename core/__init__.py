"""The retrieval core: a library that could be published alone. It imports no Qt, no server and no front-end.

Read it bottom up; imports only point down (import-linter contracts in pyproject.toml prove it):

    services                       the only API that front-ends call
    curate                         changing memories, resolving contradictions, undo
    write                          checks at write: duplicates, contradictions, credentials
    profiles | evaluate | exchange the published designs · metrics and tuning · one module per file format
    pipeline | store | embed       sources and stages, traced · the only SQL · the only models
    search_cache                   postings and vectors in memory, fed by a store's engine
    formulas | search_reader       pure functions on numbers, with their sources · what a search reads of a store
    changes | draft                operations and the memories they changed · validation of untrusted fields
      | filters                    what a filter passes, and its plain form
      | search_types               values that describe a search and its statistics
      | update_phrases             phrases that announce a change, in texts and in queries
      | prompt_phrases             small talk, and references to earlier talk
    model | text | word_diff       plain values · tokenization in every language · word-level diff
    clock | progress | folders     time · progress and cancellation · the user's folders
      | safe_files | formatting    the only way to write a file · numbers and names as text
      | fast_tuples                fast creation of named tuples
      | filter_fields              the fields of a filter, described once
      | location                   where a store is: a file, or a URL that another engine would open
    errors                         errors whose text a user may read
"""
