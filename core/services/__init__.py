"""The only door front-ends knock on. Each module is one part of what the product does.

workspace   one open store with its model: what every other service is handed
embeddings  the model loaded and memories embedded in the background, never in the way
remember    new memories        browse    finding and reading them
query       asking, explaining, comparing       why_not   what would have brought a memory in
lab         a question with all that can be seen of its answer, and two settings of it side by side
bulk        what is done to many at once and differs from one to the next
curate      edit, pin, archive, forget, link, merge, split, undo, redo     audit   versions, any moment
curves      how memories fade, drawn by the stage that ranks
contradictions   clusters, what a verdict would change, the verdict
weave       the links of a conversation, kept as memories come
exchange    bringing memories in from files
health      is the store sound, and mending it; backups
models      which models there are, fetching and choosing one
"""
