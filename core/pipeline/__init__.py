"""One traced pipeline: sources gather candidates with all their facts, stages score them, the trace records each step.

query.py         a checked query: time, model, filter and limits are fixed in it
pool.py          the candidates as columns: facts, lists, scores, order; what a stage did, and its trace
expr.py          columns that remember how they were computed; the one explainer
trace.py         Term, a number with its derivation; Reason, why a candidate was dropped; Trace, the record of a run
stage.py         what a source and a stage are                profile.py     a design as data: sources and stages
run.py           sources, then stages, timed                  render.py      the section of a prompt
parameters.py    the fields of the steps, read and set        former_names.py names of version 0.1
run_report.py    score breakdown, funnel, rank paths          decay_curves.py decay over time, by the ranking stage
periods.py       the dates that a query names
stages/          one module per kind of step; each step a frozen dataclass whose fields are its parameters
"""
