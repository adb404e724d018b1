"""The only API that front-ends call. Each module is one part of what the product does.

workspace   one open store with its model, passed to every other service
embeddings  the model, loaded in the background; memories embedded in the background
models      the catalogue of models, download and choice

remember    new memories
neighbours  candidates for a duplicate or a contradiction of a text       judging   the judgement of each
browse      lookup, listing and detail
curate      edit, pin, archive, forget, link, merge, split, undo, redo
proposals   changes that agents propose to a person's memories, and the decision
merging     the preview of a merge
bulk_operations  operations on many memories that differ per memory
contradictions   clusters, the preview of a resolution, the resolution
consolidate      merges of near-duplicates and archivals of decayed memories: plan and execution
link_inference   links inferred from sessions, topics and references
exchange    import and export                           files   new files, written whole with private permissions
import_duplicates  duplicates among the rows of a file

query       recall, explanation, comparison             why_not   changes that would have returned a memory
question    an unchecked query and its plain form       question_checks   its validation
question_profile  the profile that answers it           answer   the ranking and the prompt section
explanation the way of one memory through the ranking, read from the trace
recall_plan what questions of one kind have in common, made once
briefing    what an agent is told at the start of a session
profiles    the published profiles, and those saved in a store
trial_runs  a query with one change after the other     what_if_readers  readers that cache or alter answers
lab         an answer with its whole trace, and two settings side by side
curves      decay over time, computed by the ranking stage
graph       the links around a memory, laid out
time_travel the store as it was at a moment, to read and to query

recorder    recorded calls of agents                    activity   calls and journal for the Activity view
audit       versions, the journal, calls and their statistics

evaluate    judgements, metrics, tuning                 comparison   two profiles side by side, query by query
ratings     the judgements of one query

health      integrity check, repair, backups
inspection  findings about the memories, and repairs
projection  the map of the vectors
"""
