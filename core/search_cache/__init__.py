"""The search cache: postings, filter masks and quantised vectors in memory, fed by a storage engine it does not know.

An engine that ranks every matching row and compares every vector takes seconds in a store of a million memories. This
cache is filled from the engine through `feed`, is brought up to date by the ids changed since its last change, may be
dropped at any time, and answers only for exactly the state that the reader's snapshot has. It imports no engine.

cache_protocol     CacheMiss, and what a reader may ask     feed               what an engine provides, in bulk
search_cache       SearchCache: one for each open store     queries            the searches of one snapshot
cache_contents     what is held, brought up to date here    background_loader  the thread that fills it
postings           posting lists of tokens, kept current    posting            one list, or all of an index at once
changed_tokens     tokens of changed memories               field_lengths      tokens of every memory, by field
bm25_ranking       top-k by BM25: MaxScore                  query_terms        the terms of a query, with their postings
vector_index       top-k by cosine: candidates, rescoring   quantisation       int8 vectors and binary codes
dense_scores       BM25 of all memories at once             fact_table         facts of every memory, order in sessions
filter_masks       which memories pass a filter             arrays             arrays that grow, lookup in sorted ids
background_search  the engine's own vector search, on a thread, until the vectors are in memory
"""
