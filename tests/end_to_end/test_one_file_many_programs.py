"""The desktop and three servers on one file, all reading and writing: nothing is lost and no client meets a lock.

Each does 100 operations here; OPERATIONS=1000 in the environment makes it the long run that the README reports.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from core.changes import PERSON
from core.errors import StaleEdit
from core.services import audit, curate, query, remember
from core.services.query import Question
from core.services.workspace import Workspace
from inspector.serve.tokens import DEFAULT, Tokens

OPERATIONS = int(os.environ.get("OPERATIONS", "100"))
NAMES = "pool cache deploy parser queue token index shard proxy lease".split()


def sentence(chance: random.Random, who: str, n: int) -> str:
    return f"{who} saw in run {n} that {' '.join(chance.sample(NAMES, 4))} need {who}{n} first"


def start(store) -> tuple[subprocess.Popen, int]:
    command = [sys.executable, "-m", "inspector", "--db", str(store), "--serve", "--port", "0", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    reported = ""
    while not reported.endswith("}\n"):
        reported += process.stdout.readline()
    return process, int(json.loads(reported)["url"].rpartition(":")[2])


def agent(port: int, name: str) -> tuple[list[str], list[int]]:
    """What it stored and had confirmed; and every status that was neither an answer nor a stale edit."""
    chance, kept, odd = random.Random(name), [], []
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {
        "Authorization": f"Bearer {Tokens().find(DEFAULT).secret}",
        "Content-Type": "application/json",
        "X-Client": name,
    }

    def say(method, path, body):
        connection.request(method, f"/api/v1{path}", json.dumps(body), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status not in (200, 409):
            odd.append((response.status, answer))
        return answer

    for n in range(OPERATIONS):
        match chance.choice(["store", "store", "recall", "recall", "update"]):
            case "store":
                content = sentence(chance, name, n)
                if "memory" in say("POST", "/memories", {"content": content}):
                    kept.append(content)
            case "recall":
                say("POST", "/recall", {"query": " ".join(chance.sample(NAMES, 2))})
            case "update":
                say("PATCH", f"/memories/{chance.randint(1, 5)}", {"confidence": chance.random(), "reason": name})
    connection.close()
    return kept, odd


def desktop(store) -> tuple[list[str], list]:
    """The same through the services, as the window does it."""
    chance, kept = random.Random("desktop"), []
    with Workspace.open(store) as workspace:
        for n in range(OPERATIONS):
            match chance.choice(["store", "recall", "pin", "edit"]):
                case "store":
                    content = sentence(chance, "desktop", n)
                    remember.remember(workspace, {"content": content}, actor=PERSON)
                    kept.append(content)
                case "recall":
                    query.ask(workspace, Question(text=" ".join(chance.sample(NAMES, 2))))
                case "pin":
                    curate.pin(workspace, [chance.randint(1, 5)], actor=PERSON)
                case "edit":
                    with workspace.store.read() as reader:
                        seen = reader.memory(chance.randint(1, 5))
                    try:
                        curate.edit(
                            workspace, [seen.id], {"summary": str(n)}, expected_version=seen.version, actor=PERSON
                        )
                    except StaleEdit:
                        continue
    return kept, []


def test_a_desktop_and_three_servers_lose_nothing_on_one_file(workspace):
    for n in range(5):
        remember.remember(workspace, {"content": f"Base statement {n} on {NAMES[n]}"}, actor=PERSON)
    store = workspace.store.path
    servers = [start(store) for _ in range(3)]
    try:
        with ThreadPoolExecutor(4) as pool:
            agents = [pool.submit(agent, port, f"agent{n}") for n, (_, port) in enumerate(servers)]
            window = pool.submit(desktop, store)
            outcomes = [each.result() for each in (*agents, window)]
    finally:
        for process, _ in servers:
            process.terminate()
        codes = [process.wait(30) for process, _ in servers]
        for process, _ in servers:
            process.stdout.close()
    assert codes == [0, 0, 0]
    assert [odd for _, odd in outcomes] == [[], [], [], []]
    with workspace.store.read() as reader:
        there = {memory.content for memory in reader.memories(reader.memory_ids()).values()}
    acknowledged = [content for kept, _ in outcomes for content in kept]
    assert len(acknowledged) > OPERATIONS
    assert [content for content in acknowledged if content not in there] == []
    assert workspace.store.check() == []
    recorded = audit.metrics(workspace)
    assert recorded.total.calls == 3 * OPERATIONS
    assert recorded.total.failed == 0
