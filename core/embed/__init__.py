"""Text to vectors. No other part of the project knows a model.

embedder.py    what an embedder is and says of itself       recipe.py   which text of a memory is embedded
catalogue.py   the models we know, as frozen data           places.py   where their files come from, verified
download.py    resumable download, by hash                  onnx.py  ollama.py   the two runtimes
cache.py       vectors kept by model and text, for measuring
hashing.py     deterministic stand-in for fast tests; never offered as semantic search
"""
