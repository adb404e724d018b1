"""One traced pipeline: sources gather candidates with all their facts, stages judge them, the trace tells it all.

query.py      what is asked, complete: after it nobody asks the time, the model or the settings again
trace.py      Term, a number and how it came about; Untold, one that is told when somebody looks; Reason, why a
              candidate left; Later, what is made when somebody looks; Trace, the whole course
candidate.py  a memory on its way, and the pool it is in, scored column by column
stage.py      what a source, a stage, a reader must be
run.py        sources, then stages, timed                     render.py the section that goes into a prompt
parameters.py the fields of the steps, to be read and set     course.py a run as a person follows it
fading.py     how memories fade, by the stage that ranks      periods.py  the times a question names
stages/       one module a kind of step; a frozen dataclass each, whose fields are its parameters
"""
