"""Text to vectors. No other part of the project knows a model.

embedder.py    the protocol of an embedder                  recipe.py   which text of a memory is embedded
catalogue.py   the known models, as frozen data             places.py   where their files come from, verified
download.py    resumable download, by hash                  onnx.py  ollama.py   the two runtimes
cache.py       vectors cached by model and text, for measurements
hashing.py     deterministic replacement for fast tests; never offered as semantic search
"""
