"""One traced pipeline: sources gather candidates with all their facts, stages score them, the trace records each step.

query.py         a checked query: time, model, filter and limits are fixed in it
trace.py         Term, a number with its derivation; DeferredTerm, one whose tree is built on demand; Reason, why a
                 candidate was dropped; Trace, the record of a run
candidate.py     a memory with its list scores, and the pool, scored column by column
stage.py         the protocols of a source, a stage and the reader they search with
run.py           sources, then stages, timed                  render.py      the section of a prompt
parameters.py    the fields of the steps, read and set        former_names.py names of version 0.1
run_report.py    score breakdown, funnel, rank paths          decay_curves.py decay over time, by the ranking stage
periods.py       the dates that a query names
stages/          one module per kind of step; each step a frozen dataclass whose fields are its parameters
"""
