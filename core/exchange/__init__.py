"""Other forms of the same memories: bytes to memories, memories to bytes. Nothing here writes the store.

jsonl   one JSON object a line, lossless; also the form of the sample
"""
