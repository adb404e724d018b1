"""The only door front-ends knock on. Each module is one part of what the product does.

workspace   one open store with its model: what every other service is handed
embeddings  the model loaded and memories embedded in the background, never in the way
models      which models there are, fetching and choosing one

remember    new memories
neighbours  what may say the same as a text or the opposite         judging   whether it does
browse      finding and reading them
curate      edit, pin, archive, forget, link, merge, split, undo, redo
proposals   what agents propose to change of a person's memories, and the decision on it
merging     a merge as it is looked at before it is done
bulk        what is done to many at once and differs from one to the next
contradictions   clusters, what a verdict would change, the verdict
consolidate      merges of near-duplicates and archivals of what has faded: a plan, and carrying it out
weave       the links of a conversation, kept as memories come
exchange    memories in from files and out to them      files   written whole and for their owner alone
copies      which rows of a file are known already

query       asking, explaining, comparing       why_not   what would have brought a memory in
profiles    the published ones, and those saved in a store
trial_readers    what a question is tried on again and again without asking the store twice
lab         a question with all that can be seen of its answer, and two settings of it side by side
curves      how memories fade, drawn by the stage that ranks
graph       what a memory is linked to, laid out
past        the store as it stood at a moment, to look at and to ask

recorder    what agents asked and got, written down    activity   their calls and the journal, as a person follows them
audit       versions, the journal, calls and figures

evaluate    judging, measuring profiles, tuning        comparison   two profiles side by side, query by query
ratings     the judgements of one query as a person makes them

health      is the store sound, and mending it; backups
inspection  what is not as it should be in the memories, and the ways to mend it
projection  the map of its vectors
"""
