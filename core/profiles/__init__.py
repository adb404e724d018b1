"""Every published design as a profile: data only, one file a document. The order is the order of display."""

from core.errors import UserError, suggestion
from core.pipeline.run import Profile
from core.profiles.inspector import INSPECTOR
from core.profiles.openmem import OPENMEM
from core.profiles.oro import BCR, CC_V3, CC_V3_FTS, CC_V3_VECTOR, ORO, ORO_HYBRID
from core.profiles.recursive_light import RECURSIVE_LIGHT, RECURSIVE_LIGHT_GRAPH, RECURSIVE_LIGHT_SEMANTIC
from core.profiles.robotmem import ROBOTMEM
from core.profiles.two_stage import TWO_STAGE

PROFILES: tuple[Profile, ...] = (
    INSPECTOR,
    ORO,
    ORO_HYBRID,
    BCR,
    CC_V3,
    CC_V3_FTS,
    CC_V3_VECTOR,
    OPENMEM,
    ROBOTMEM,
    TWO_STAGE,
    RECURSIVE_LIGHT,
    RECURSIVE_LIGHT_SEMANTIC,
    RECURSIVE_LIGHT_GRAPH,
)

DEFAULT = INSPECTOR


def profile(name: str) -> Profile:
    for known in PROFILES:
        if known.name == name:
            return known
    names = [known.name for known in PROFILES]
    raise UserError(f"There is no profile {name[:40]!r}{suggestion(name, names)}; there are {', '.join(names)}.")
