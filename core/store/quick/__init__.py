"""What searching needs, kept in memory: postings of words, and vectors by their signs.

FTS5 ranks every row that holds one of the words and vec0 looks at every vector, which takes seconds in a store of a
million memories. All of this is a cache of theirs: it is read from their tables, follows them change by change through
`search_log`, may be dropped at any time, and answers only where it has the very state that the reader sees.

quick       the door: in step with a reader's snapshot, or no answer; what is read in the background
vocabulary  who holds a word, out of FTS5      postings  the words that are asked for, kept up to date
said        the words of what has changed      ranking   the best by BM25 without a look at every match
signs       the vectors, small                 masks     whom a filter lets through
numbers     by the million out of SQLite       beside    until the vectors are here: the file looks for them meanwhile
lengths     of every memory in words, by field
"""
