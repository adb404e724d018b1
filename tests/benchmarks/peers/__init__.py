"""What users would pick instead, one adapter each, and the harness that measures them side by side.

An adapter is a module that imports its peer only when it is opened: `INSTALL` (what pip is given, the peer itself
first; empty for what runs in the project's own environment), `MODES` (how it can be asked: `hybrid`, `hybrid by
ranks`, `vectors`, `words`), `NOTE` (what a reader of the table must know), and a class `Peer(folder)` with
`load(texts, vectors)`, `query(text, vector, k, mode)` and `close()`. A memory is its number, from 0. `worker.py` runs
one adapter in a process of its own, `harness.py` makes the environments and drives the workers. Every answer comes
with the text of its memories, since an agent needs it.
"""
