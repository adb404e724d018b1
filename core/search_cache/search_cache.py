"""The search cache of an open store: its parts, and their life."""

from __future__ import annotations

from core.search_cache.background_loader import BackgroundLoader
from core.search_cache.background_search import BackgroundSearches
from core.search_cache.cache_contents import CacheContents
from core.search_cache.feed import CacheFeed, Snapshot
from core.search_cache.queries import CacheQueries
from core.search_cache.query_terms import QueryTerms


class SearchCache:
    """One for each open store; safe to use from several threads, each with a snapshot of its own."""

    def __init__(self, feed: CacheFeed) -> None:
        self.contents = CacheContents(feed)
        self.searches = BackgroundSearches(feed)
        self.loader = BackgroundLoader(feed, self.contents, self.searches)
        self.terms = QueryTerms(self.loader)

    def at(self, snapshot: Snapshot) -> CacheQueries:
        """Return what answers the searches of a snapshot."""
        return CacheQueries(snapshot, self.contents, self.loader, self.searches, self.terms)

    def wait(self) -> None:
        """Wait until everything that was asked for is loaded."""
        self.loader.join()
        self.loader.start()
        self.loader.join()

    def close(self) -> None:
        """Stop and join every thread."""
        self.loader.stop_soon()
        self.searches.close()
        self.loader.join()
