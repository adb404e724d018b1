"""The door to what is kept in memory: brought in step with the reader's snapshot, or else it does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import apsw
import numpy as np

from core.errors import UserError
from core.formulas import bm25, similarity
from core.model import Filter, MemoryId
from core.search_types import FIELDS, TextSearch, TextStatistics, WordStatistics
from core.store.quick.beside import Beside, Found
from core.store.quick.masks import Mask, Masks
from core.store.quick.postings import Postings
from core.store.quick.ranking import Formula, Scratch, Unread, Word, best, scored
from core.store.quick.signs import Signs
from core.store.quick.vocabulary import Table, Whole, count, most_held
from core.store.sqlite import fulltext, search, search_log, vectors
from core.store.sqlite.connection import snapshot
from core.store.sqlite.from_memory import HIGHEST_ID, NotInMemory

# After so many changes, at once or one by one, reading words anew is quicker than following them. Vectors are always
# followed: reading all of them anew takes seconds in a large store.
MAX_FOLLOWED = 2_000
MAX_PENDING = 20_000

# How often SQLite looks whether what it reads in the background is still wanted: every few milliseconds.
STEPS_BETWEEN_LOOKS = 10_000

# For so many searches of the file the reading of vectors waits.
MAX_LET_PASS = 2

# Vectors of fewer numbers are too many on one spot for bytes to tell them apart.
MIN_DIMENSION = 8

# The words of as many memories as take a few seconds to read and some ten megabytes to keep, in each table.
MAX_WORDS_READ_WHOLE = 6_000_000


# What comes of reading numbers and lists that nobody of us has written.
_DAMAGE = (IndexError, ValueError, TypeError, OverflowError)


class Quick:
    """One for each open store. Every answer is that of FTS5 and vec0; NotInMemory where there is none to give."""

    def __init__(self, connect: Callable[[], apsw.Connection], is_wanted: Callable[[], bool]) -> None:
        """`is_wanted` tells of the thread that asks whether anybody still waits for the answer."""
        self._connect, self._is_wanted = connect, is_wanted
        self._lock = threading.RLock()
        self._as_of = -1
        self._postings: Postings | None = None
        self._masks = Masks()
        self._signs: dict[vectors.SpaceId, Signs] = {}
        self._asked_for: dict[vectors.SpaceId, int] = {}  # and of how many numbers their vectors are
        self._searches = 0
        self._read_ahead_in: Postings | None = None
        self._background: threading.Thread | None = None
        self._beside: list[Beside] = []
        self._beside_lock = threading.Lock()
        self._stop = threading.Event()
        self._scratch = Scratch(0)
        self._last_words: tuple[tuple[apsw.Connection, int, TextSearch] | None, list[Word | Unread]] = (None, [])

    def close(self) -> None:
        self._stop.set()
        for each in self._going_on_beside():
            each.close()
        self._join()

    def wait(self) -> None:
        """Until all that was asked for is there, and what will be."""
        self._join()
        self._read_in_background()
        self._join()

    def _join(self) -> None:
        if self._background is not None:
            self._background.join()

    @property
    def size(self) -> int:
        """About how many bytes all of it takes."""
        words = 0 if self._postings is None else self._postings.size
        return words + sum(signs.size for signs in self._signs.values())

    def expect_questions(self, space: vectors.SpaceId | None, dimension: int) -> None:
        """Begin to read before anybody asks."""
        with self._lock:
            if space is not None and dimension >= MIN_DIMENSION:
                self._asked_for[space] = dimension
            self._read_in_background()

    def search_text(self, connection: apsw.Connection, asked: TextSearch, wanted: Filter, limit: int) -> Found:
        with self._in_step(connection) as postings:
            self._searches += 1
            if self._searches > 1:  # whoever asks once is not slowed down for the sake of questions that never come
                self._read_in_background()
            words = self._words(connection, asked, postings)
            found = best(words, self._mask(connection, wanted, postings), limit, self._scratch)
            return [(MemoryId(id), score) for id, score in found]

    def text_scores(
        self, connection: apsw.Connection, asked: TextSearch, ids: Collection[MemoryId]
    ) -> dict[MemoryId, float]:
        with self._in_step(connection) as postings:
            words = self._words(connection, asked, postings, of_few=True)
            return {MemoryId(id): score for id, score in scored(words, np.array(sorted(ids), dtype=np.int32))}

    def text_rank(self, connection: apsw.Connection, asked: TextSearch, wanted: Filter, id: MemoryId) -> int | None:
        with self._in_step(connection) as postings:
            words = self._words(connection, asked, postings)
            every = best(words, self._mask(connection, wanted, postings), postings.rows, self._scratch)
            return next((rank for rank, (each, _) in enumerate(every, 1) if each == id), None)

    def text_statistics(
        self, connection: apsw.Connection, asked: TextSearch, ids: Collection[MemoryId]
    ) -> dict[MemoryId, TextStatistics]:
        with self._in_step(connection) as postings:
            words = self._words(connection, asked, postings)
            documents, average = search.size(connection, asked.searched)
            lengths = postings.field_lengths.of(_field_numbers(asked))
            sought = np.array(sorted(ids), dtype=np.int32)
            found = {}
            for id, score in scored(words, sought):
                counted = tuple(
                    WordStatistics(named, documents, word.count, word.among(sought).counts(id))
                    for named, word in zip(asked.words, words, strict=True)
                )
                found[MemoryId(id)] = TextStatistics(counted, asked.searched, int(lengths[id]), average, score)
            return found

    def held(self, connection: apsw.Connection, words: Sequence[str]) -> dict[str, int]:
        """In how many memories, without stemming, each of the words is whose lists are here."""
        with self._in_step(connection) as postings:
            counts = {word: postings.count(connection, "fulltext", word) for word in words}
            return {word: count for word, count in counts.items() if count is not None}

    def begin_vectors(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, limit: int
    ) -> Beside | None:
        """Let the file search for vectors that are not in memory yet, beside what else is asked before them."""
        if space in self._signs:
            return None
        begun = Beside(
            self._connect,
            search_log.last(connection),
            lambda own: search.search_vectors(own, space, vector, wanted, limit),
            self._is_wanted,
        )
        with self._beside_lock:
            self._beside.append(begun)
        return begun

    def _going_on_beside(self) -> list[Beside]:
        with self._beside_lock:
            self._beside = [each for each in self._beside if each.is_going_on]
            return list(self._beside)

    def search_vectors(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, limit: int
    ) -> Found:
        with self._in_step(connection) as postings:
            signs, mask = self._vectors(space, vector), self._mask(connection, wanted, postings)
            found = signs.nearest(connection, vector, mask, min(limit, search.MAX_NEIGHBOURS - 1))
            return [(MemoryId(id), similarity.from_distance(distance)) for id, distance in found]

    def is_approximate(self, connection: apsw.Connection, space: vectors.SpaceId, wanted: Filter) -> bool:
        """Whether the nearest vectors that a filter lets through are looked for among some of them only."""
        with self._in_step(connection, begin=False) as postings:
            if space not in self._signs:
                raise NotInMemory
            return self._signs[space].is_approximate(self._mask(connection, wanted, postings))

    def vector_rank(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, wanted: Filter, id: MemoryId
    ) -> int | None:
        with self._in_step(connection) as postings:
            return self._vectors(space, vector).rank(connection, vector, self._mask(connection, wanted, postings), id)

    def cosines(
        self, connection: apsw.Connection, space: vectors.SpaceId, vector: bytes, ids: Collection[MemoryId]
    ) -> dict[MemoryId, float]:
        with self._in_step(connection):
            found = self._vectors(space, vector).distances(connection, vector, ids)
            return {MemoryId(id): similarity.from_distance(distance) for id, distance in found}

    def count(self, connection: apsw.Connection) -> int:
        """How many memories there are."""
        with self._in_step(connection, begin=False) as postings:
            return self._mask(connection, Filter(), postings).count

    def count_embedded(self, connection: apsw.Connection, space: vectors.SpaceId) -> int:
        with self._in_step(connection, begin=False):
            if space not in self._signs:
                raise NotInMemory
            return self._signs[space].count

    @contextmanager
    def _in_step(self, connection: apsw.Connection, *, begin: bool = True) -> Iterator[Postings]:
        """The words as the connection's snapshot has them; not for a snapshot that is older than what is here."""
        with self._lock:
            try:
                yield self._brought_in_step(connection, begin=begin)
            except apsw.InterruptError:  # nobody waits for the answer any more
                raise
            except (apsw.Error, IndexError) as error:  # what is wrong the file itself will say
                raise NotInMemory from error

    def _brought_in_step(self, connection: apsw.Connection, *, begin: bool) -> Postings:
        now = search_log.last(connection)
        if now < self._as_of or (self._postings is None and not begin):
            raise NotInMemory
        if now > self._as_of:
            try:
                self._follow(connection, now)
            except Exception as error:
                self._forget()  # half of a change may have been taken in
                if isinstance(error, _DAMAGE):
                    raise NotInMemory from error
                raise
            self._as_of = now  # before the words are read, which may be stopped: vectors are in step by now
        if self._postings is None:
            self._postings = Postings.read(connection, now)
        return self._postings

    def _words(
        self, connection: apsw.Connection, asked: TextSearch, postings: Postings, *, of_few: bool = False
    ) -> list[Word | Unread]:
        question = (connection, self._as_of, asked)  # what is left unread is read through the connection, if at all
        if self._last_words[0] == question:  # after who is best come the scores of others
            return self._last_words[1]
        table = fulltext.table_of(asked)
        tokens = fulltext.single_tokens(connection, table, asked.words)
        if tokens is None:
            raise NotInMemory
        documents, average = search.size(connection, asked.searched)
        # Until the words that most memories hold are here, no list of a large store is read that can be done without:
        # FTS5 tells at once how many memories hold a word, though not in which of the fields.
        is_early = self._background is None or self._background.is_alive()
        missing = {token for token in tokens if is_early and not postings.holds(table, token)}
        searched = {n: float(asked.weights[FIELDS[n]]) for n in _field_numbers(asked)}
        can_wait = len(searched) == len(FIELDS) and not _is_read_whole(documents, average)
        if of_few and missing and not can_wait:  # FTS5 looks at a few memories sooner than lists are read
            raise NotInMemory
        k1, b = asked.okapi or (bm25.FTS5_K1, bm25.FTS5_B)
        lengths = postings.field_lengths.of(searched)
        formula = Formula(searched, k1, b, asked.okapi is not None, documents, average, lengths)
        if len(self._scratch.sums) < len(postings.lengths):
            self._scratch = Scratch(len(postings.lengths))
        words = [
            Unread(
                count(connection, table, token),
                formula,
                partial(postings.of, connection, table, token),
                partial(postings.read_part, connection, table, named),
            )
            if can_wait and token in missing
            else Word(postings.of(connection, table, token), formula)
            for named, token in zip(asked.words, tokens, strict=True)
        ]
        self._last_words = (question, words)
        return words

    def _follow(self, connection: apsw.Connection, now: int) -> None:
        changed = _changed_since(connection, self._as_of)
        if changed is None:
            self._forget()
            return
        for signs in self._signs.values():
            signs.follow(connection, changed, now)
        if self._postings is None or len(changed) > MAX_FOLLOWED or self._postings.changed > MAX_PENDING:
            self._postings, self._masks = None, Masks()
            return
        try:
            self._postings.follow(connection, changed, now)
            self._masks.follow(connection, changed, len(self._postings.lengths))
        except NotInMemory:  # words of a damaged file are read anew as it has them
            self._postings, self._masks = None, Masks()

    def _forget(self) -> None:
        self._postings = None
        self._masks = Masks()
        self._signs.clear()

    def _mask(self, connection: apsw.Connection, wanted: Filter, postings: Postings) -> Mask:
        return self._masks.of(connection, wanted, len(postings.lengths))

    def _vectors(self, space: vectors.SpaceId, vector: bytes) -> Signs:
        dimension = len(vector) // 4
        if dimension < MIN_DIMENSION:
            raise NotInMemory
        if space not in self._signs:
            if space in self._asked_for:
                self._read_in_background()
            self._asked_for[space] = dimension
            raise NotInMemory
        return self._signs[space]

    def _read_in_background(self) -> None:
        with self._lock:
            is_reading = self._background is not None and self._background.is_alive()
            are_words_read = self._postings is not None and self._read_ahead_in is self._postings
            if not is_reading and not (are_words_read and self._asked_for.keys() <= self._signs.keys()):
                self._background = threading.Thread(target=self._read, name="search into memory", daemon=True)
                self._background.start()

    def _read(self) -> None:
        """The vectors that were asked for, then the words that most memories hold."""
        # Whatever is wrong with the file, those who search it are told by their own search.
        with suppress(apsw.Error, UserError, NotInMemory, *_DAMAGE):
            connection = self._connect()
            connection.set_progress_handler(self._stop.is_set, STEPS_BETWEEN_LOOKS)
            try:
                for space, dimension in list(self._asked_for.items()):
                    if space not in self._signs:
                        self._read_signs(connection, space, dimension)
                self._read_ahead(connection)
            finally:
                connection.close()

    def _read_signs(self, connection: apsw.Connection, space: vectors.SpaceId, dimension: int) -> None:
        """All vectors of a snapshot, then what has changed while they were read."""
        with snapshot(connection):
            signs = Signs.read(connection, space, dimension, search_log.last(connection), self._let_pass())
        with self._lock, snapshot(connection):
            self._brought_in_step(connection, begin=True)
            changed = _changed_since(connection, signs.as_of)
            if changed is not None:
                if changed:
                    signs.follow(connection, changed, self._as_of)
                self._signs[space] = signs

    def _let_pass(self) -> Callable[[], None]:
        """Called again and again while vectors are read: whoever is answered by the file meanwhile has the processor
        first; but not everybody, or where questions never cease they would be answered so for ever."""
        let_pass: list[Beside] = []

        def look() -> None:
            for each in self._going_on_beside()[: MAX_LET_PASS - len(let_pass)]:
                let_pass.append(each)
                each.wait()

        return look

    def _read_ahead(self, connection: apsw.Connection) -> None:
        """Before anybody asks, every word, or of a large store those that take longest to read."""
        with self._lock, snapshot(connection):
            self._read_ahead_in = self._brought_in_step(connection, begin=True)
            documents, average = search.size(connection, FIELDS)
        if _is_read_whole(documents, average):
            for table in fulltext.TABLES:
                self._read_whole(connection, table)
        else:
            self._read_most_held(connection)

    def _read_whole(self, connection: apsw.Connection, table: Table) -> None:
        with snapshot(connection):
            whole = Whole.read(connection, table, search_log.last(connection))
        with self._lock, snapshot(connection):
            self._read_ahead_in = postings = self._brought_in_step(connection, begin=True)
            changed = _changed_since(connection, whole.as_of)
            if changed is not None:
                postings.keep_whole(connection, table, whole, changed)

    def _read_most_held(self, connection: apsw.Connection) -> None:
        for table, word in most_held(connection, fulltext.TABLES):
            with snapshot(connection):
                with self._lock:
                    self._read_ahead_in = postings = self._brought_in_step(connection, begin=True)
                    as_of = postings.as_of
                    if postings.is_full:
                        return
                posting = postings.read_word(connection, table, word)
                with self._lock:
                    if self._postings is postings and postings.as_of == as_of:
                        postings.keep_spare(table, word, posting)


def _changed_since(connection: apsw.Connection, seq: int) -> list[int] | None:
    """The memories that have changed after an entry of the log; None when all that is kept is to be read anew."""
    changed = search_log.since(connection, seq)
    if changed and not 0 <= changed[0] <= changed[-1] <= HIGHEST_ID:  # one that is gone may have had any id
        return None
    return changed


def _field_numbers(asked: TextSearch) -> list[int]:
    """The fields that a search looks into, by their numbers."""
    return [FIELDS.index(field) for field in asked.searched]


def _is_read_whole(documents: int, average: float) -> bool:
    """Whether so many memories hold few enough words for all of them to be kept."""
    return documents * average <= MAX_WORDS_READ_WHOLE
