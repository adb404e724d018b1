"""Models computed in this process by fastembed on onnxruntime; one text at a time, so that a vector never depends on
others."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from pathlib import Path
from typing import Any

from core import safe_files
from core.embed import places, recipe
from core.embed.catalogue import Model
from core.embed.embedder import packed_unit_vector
from core.errors import UserError
from core.model import Embedding, Space


class OnnxEmbedder:
    """A loaded model. Loading takes seconds and belongs in a background thread."""

    is_instant = True

    def __init__(self, model: Model, models: Path) -> None:
        folder = places.verify(model, models)
        self.model = model
        self.space = space_of(model)
        self._engine = _load(model, folder)
        self._one_at_a_time = threading.Lock()

    def embed_document(self, text: str) -> Embedding:
        return self._embed(self.model.document_prefix + text)

    def embed_query(self, text: str) -> Embedding:
        return self._embed(self.model.query_prefix + text)

    def _embed(self, text: str) -> Embedding:
        try:
            with self._one_at_a_time:
                # Never in a batch: other texts in it change an int8 model's vectors (top-5 overlap 0.90).
                (vector,) = self._engine.embed([text], batch_size=1)
                encoded = self._engine.model.tokenizer.encode(text)
        except Exception as error:  # the runtime raises errors of any type
            raise UserError(f"The model {self.model.name} could not embed a text: {error}") from error
        return Embedding(packed_unit_vector(vector.tolist(), self.space.dimension), truncated=bool(encoded.overflowing))


def space_of(model: Model) -> Space:
    """Return the space of a model: its name, the hashes of its files, and the recipe."""
    hashes = hashlib.sha256("".join(file.sha256 for file in model.files).encode()).hexdigest()
    return Space(model.name, model.revision, model.dimension, hashes, recipe.RECIPE)


def _load(model: Model, folder: Path) -> Any:
    # Before onnxruntime is imported: its telemetry is on by default. And fastembed must never contact a hub.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import fastembed
    from fastembed.common.model_description import ModelSource, PoolingType

    name = f"memory-inspector/{model.slug}"
    if all(known["model"] != name for known in fastembed.TextEmbedding.list_supported_models()):
        fastembed.TextEmbedding.add_custom_model(
            model=name,
            pooling=PoolingType[model.pooling.name],
            normalization=True,
            sources=ModelSource(hf=model.name),
            dim=model.dimension,
            model_file=model.files[0].name,
        )
    try:
        with tempfile.TemporaryDirectory(prefix="memory-inspector-") as clean:
            # A folder with the verified files alone, so that other files next to them have no effect.
            for file in model.files:
                Path(clean, file.name).symlink_to((folder / file.name).resolve())
            # The configuration that fastembed reads besides tokenizer.json, written here so that nothing is downloaded.
            described = {"model_max_length": model.max_tokens, "pad_token": "[PAD]"}
            safe_files.create(Path(clean, "tokenizer_config.json"), [json.dumps(described)])
            return fastembed.TextEmbedding(name, specific_model_path=clean, cache_dir=clean, threads=1)
    except Exception as error:  # fastembed and onnxruntime raise errors of any type on a bad model
        raise UserError(f"The model {model.name} could not be loaded: {error}") from error
