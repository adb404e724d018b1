"""The main window: menus, toolbar, rail of views, status bar, and what each action does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractItemView, QDialog, QMainWindow, QWidget

from core.model import MemoryId
from inspector.gui.actions import ACTIONS, Bars, Requires, shown_keys
from inspector.gui.settings import Settings
from inspector.gui.viewmodels.browse import BrowseViewModel
from inspector.gui.viewmodels.calls import CallsViewModel
from inspector.gui.viewmodels.contradictions import ContradictionsViewModel
from inspector.gui.viewmodels.curation import CurationViewModel, Targets
from inspector.gui.viewmodels.decay import DecayViewModel
from inspector.gui.viewmodels.detail import DetailViewModel
from inspector.gui.viewmodels.evaluation import EvaluationViewModel
from inspector.gui.viewmodels.graph import GraphViewModel
from inspector.gui.viewmodels.health import HealthViewModel
from inspector.gui.viewmodels.journal import JournalViewModel
from inspector.gui.viewmodels.model import ModelViewModel
from inspector.gui.viewmodels.open_store import OpenStore, Refusal, StoreStatus
from inspector.gui.viewmodels.profiles import Profiles
from inspector.gui.viewmodels.proposals import ProposalsViewModel
from inspector.gui.viewmodels.query_lab import QueryLabViewModel
from inspector.gui.viewmodels.rating import RatingViewModel
from inspector.gui.viewmodels.serving import ServingViewModel
from inspector.gui.viewmodels.tuning import TuningViewModel
from inspector.gui.views.activity import ActivityView
from inspector.gui.views.appearance import Appearance
from inspector.gui.views.browse import BrowseView
from inspector.gui.views.contradictions import ContradictionsView
from inspector.gui.views.curation import Curation
from inspector.gui.views.decay import DecayView
from inspector.gui.views.dialogs import RememberDialog
from inspector.gui.views.evaluation import EvaluationView
from inspector.gui.views.fault_page import FaultPage
from inspector.gui.views.files import Files
from inspector.gui.views.first_page import FirstPage
from inspector.gui.views.graph import GraphView
from inspector.gui.views.health import HealthView
from inspector.gui.views.help import Help
from inspector.gui.views.model_offer import ModelOffer
from inspector.gui.views.onboarding import Onboarding
from inspector.gui.views.palette import CommandPalette, ShortcutSheet
from inspector.gui.views.query_lab import QueryLabView
from inspector.gui.views.serving import ServingDialog
from inspector.gui.views.status import StatusBar
from inspector.gui.views.undo_shortcuts import UndoShortcuts
from inspector.gui.widgets import layout, window_state
from inspector.gui.widgets.banner import Banner
from inspector.gui.widgets.page_stack import PageStack

JUDGEMENTS = "Judgements (*.jsonl *.ndjson *.csv *.qrels *.txt);;All files (*)"
View = (
    BrowseView | QueryLabView | ContradictionsView | DecayView | GraphView | ActivityView | HealthView | EvaluationView
)


class MainWindow(QMainWindow):
    """The main window. Every action of the table is a method by its name: of this class, its files, appearance,
    curation or help."""

    def __init__(self, store: OpenStore, settings: Settings) -> None:
        super().__init__()
        self.store, self.settings = store, settings
        self.setWindowTitle("Memory Inspector")
        self.setObjectName("main")
        self.setAcceptDrops(True)
        self._tour_when_open = False
        self.browse_viewmodel = BrowseViewModel(store, settings, self)
        self.detail_viewmodel = DetailViewModel(store, self)
        self.profiles = Profiles(store, self)
        self.query_viewmodel = QueryLabViewModel(store, self.profiles, self)
        self.rating_viewmodel = RatingViewModel(store, self.query_viewmodel, self)
        self.contradictions_viewmodel = ContradictionsViewModel(store, self)
        self.decay_viewmodel = DecayViewModel(store, self)
        self.graph_viewmodel = GraphViewModel(store, self)
        self.health_viewmodel = HealthViewModel(store, self)
        self.evaluation_viewmodel = EvaluationViewModel(store, self.profiles, self)
        self.model_viewmodel = ModelViewModel(store, settings, self)
        self.browse_view = BrowseView(self.browse_viewmodel, self.detail_viewmodel, settings)
        self.query_view = QueryLabView(self.query_viewmodel, self.rating_viewmodel, self.model_viewmodel)
        self.contradictions_view = ContradictionsView(self.contradictions_viewmodel)
        self.decay_view = DecayView(self.decay_viewmodel)
        self.graph_view = GraphView(self.graph_viewmodel)
        recorded = CallsViewModel(store, self), JournalViewModel(store, self), ProposalsViewModel(store, self)
        self.activity_view = ActivityView(*recorded)
        self.health_view = HealthView(self.health_viewmodel)
        self.evaluation_view = EvaluationView(
            self.evaluation_viewmodel, TuningViewModel(store, self.profiles, self.evaluation_viewmodel, self)
        )
        self.views: dict[str, View] = {
            "browse": self.browse_view, "query_lab": self.query_view, "contradictions": self.contradictions_view,
            "decay": self.decay_view, "graph": self.graph_view, "activity": self.activity_view,
            "health": self.health_view, "evaluation": self.evaluation_view,
        }  # fmt: skip
        self._splits = {f"{name}-split": view.split for name, view in self.views.items()}
        self.files = Files(store, self)
        self.curation_viewmodel = CurationViewModel(store, self)
        self.curation = Curation(self.curation_viewmodel, self._targets, self)
        self.first_page = FirstPage(self.do, store.open, settings)
        self.fault_page = FaultPage(store.open, store.create, store.restore_backup, self.do)
        self._build_pages()
        self.help = Help(self)
        self._build_actions()
        self.serving = ServingViewModel(store, self)
        self.status = StatusBar(store, self.serving)
        self.setStatusBar(self.status)
        self.installEventFilter(self.status)
        self._undo_keys = UndoShortcuts(self, store.writing, self.browse_view.detail.holds_new_edits)
        self._connect()
        window_state.restore(self, self._splits, settings)
        self._enable()
        self._show_page(self.first_page)
        self.onboarding = Onboarding(self.do, self)

    def do(self, name: str) -> None:
        """Carry out an action by its name in the table of actions."""
        owners = (self.files, self.appearance, self.curation, self.help)
        owner = next((each for each in owners if name in each.ACTIONS), self)
        handler: Callable[[], None] = getattr(owner, name)
        handler()

    # building

    def _build_pages(self) -> None:
        self.work = PageStack()
        for view in self.views.values():
            self.work.addWidget(view)
        self._banner = Banner()
        self.model_offer = ModelOffer(self.model_viewmodel)
        self.pages = PageStack()
        for page in (self.first_page, self.fault_page, self.work):
            self.pages.addWidget(page)
        self.page_scroll = layout.scrolled(self.pages)  # a window may be narrower than the minimum width of a view
        middle = QWidget()
        middle.setLayout(layout.column(self._banner, self.model_offer, self.page_scroll, space=0))
        self.setCentralWidget(middle)

    def _build_actions(self) -> None:
        self._bars = bars = Bars(self, self.do)
        self.actions_by_name, self.toolbar, self.rail = bars.actions, bars.toolbar, bars.rail
        self.recent_menu, self.row_menu = bars.recent, bars.row_menu
        self.recent_menu.aboutToShow.connect(lambda: bars.fill_recent(self.settings.recent_stores(), self.store.open))
        self.appearance = Appearance(self.settings, self, bars.tint)

    def _connect(self) -> None:
        store = self.store
        store.opened.connect(self._on_opened)
        store.closed.connect(self._on_closed)
        store.opening.connect(lambda _: self._banner.hide())
        store.refused.connect(self._on_refused)
        store.status_changed.connect(self._on_status)
        self.browse_view.menu_wanted.connect(self.row_menu.popup)
        self.browse_view.action_wanted.connect(self.do)
        self.browse_view.tag_wanted.connect(self.curation.add_tag)
        self.curation_viewmodel.merged.connect(self._on_merged)
        for shown in (self.browse_view, self.query_view, self.graph_view):
            shown.targets_changed.connect(self._enable)
        self.evaluation_view.action_wanted.connect(self.do)
        self.evaluation_view.query_wanted.connect(self._ask)
        for name in ("query_lab", "contradictions", "decay", "graph", "activity", "health", "evaluation"):
            view: Any = self.views[name]
            view.memory_wanted.connect(self._show_memory)

    # signals of the store

    def _on_opened(self) -> None:
        path = self.store.path
        assert path is not None
        self.settings.remember_store(path)
        self.setWindowTitle(f"{path.name} – Memory Inspector")
        self._show_page(self.work)
        self.browse()
        self._enable()
        if self._tour_when_open:
            self._tour_when_open = False
            self.onboarding.start()

    def _on_closed(self) -> None:
        self.onboarding.end()
        self.setWindowTitle("Memory Inspector")
        self._banner.hide()
        self._show_page(self.first_page)
        self._enable()

    def _on_refused(self, refusal: Refusal) -> None:
        self._tour_when_open = False
        self.fault_page.show_refusal(refusal)
        self._show_page(self.fault_page)

    def _on_status(self, status: StoreStatus) -> None:
        self._banner.say(status.read_only_because)
        self.browse_view.show_store_size(status.memories)
        self._enable()

    def _show_page(self, page: QWidget) -> None:
        self.first_page.show_recent()
        self.pages.setCurrentWidget(page)
        self.rail.setVisible(page is self.work)

    def _enable(self) -> None:
        has = {
            Requires.NOTHING: True,
            Requires.STORE: self.store.is_open,
            Requires.WRITABLE: self.store.is_writable,
            Requires.SELECTION: self.store.is_writable and bool(self._targets()),
        }
        self._bars.enable(has)

    def _targets(self) -> Targets:
        """Return what an action acts on: the selection of the visible view, never one that is hidden."""
        view = self.work.currentWidget()
        return view.targets() if isinstance(view, BrowseView | QueryLabView | GraphView) else Targets()

    def _show_view(self, name: str) -> None:
        self.work.setCurrentWidget(self.views[name])
        self._bars.check(name)
        self._enable()

    def _show_memory(self, id: Any) -> None:
        self.browse()
        self.browse_viewmodel.open_memory(id)

    def _on_merged(self, id: int) -> None:
        """Show the merged memory in the view in which it was merged."""
        if isinstance(view := self.work.currentWidget(), BrowseView | QueryLabView):
            view.show_memory(MemoryId(id))

    def _ask(self, text: str) -> None:
        self.query_lab()
        self.query_view.ask(text)

    # File

    def open_sample(self) -> None:
        self.store.open_sample()

    def close_store(self) -> None:
        if self.store.is_open:
            self.store.close()
        else:
            self._show_page(self.first_page)

    def import_judgements(self) -> None:
        self.evaluation()
        self.files.ask("Import judgements", self.evaluation_viewmodel.import_file, filter=JUDGEMENTS)

    def export_judgements(self) -> None:
        self.evaluation()
        if self.evaluation_viewmodel.sets:
            export = self.evaluation_viewmodel.export_file
            self.files.ask("Export judgements", export, save=True, filter=JUDGEMENTS, suffix="csv")
        else:
            self.status.complain("No golden set yet; rate results in the Query Lab first.")

    def serve(self) -> None:
        ServingDialog(self.serving, self).open()

    def quit(self) -> None:
        self.close()

    # Edit

    def undo(self) -> None:
        if not self.rating_viewmodel.undo():
            self.store.undo()

    def redo(self) -> None:
        if not self.rating_viewmodel.redo():
            self.store.redo()

    def remember(self) -> None:
        dialog = RememberDialog(self)
        dialog.accepted.connect(lambda: self.store.remember(dialog.content.toPlainText(), dialog.type.currentText()))
        dialog.open()

    def save(self) -> None:
        self.detail_viewmodel.save()

    def rate_highly_relevant(self) -> None:
        self._rate(2)

    def rate_relevant(self) -> None:
        self._rate(1)

    def rate_not_relevant(self) -> None:
        self._rate(0)

    def unrate(self) -> None:
        self._rate(None)

    def _rate(self, grade: int | None) -> None:
        if self.work.currentWidget() is self.query_view:
            self.query_view.rate(grade)
        else:
            self.status.complain("Results are rated in the Query Lab.")

    def select_all(self) -> None:
        """Select everything in the list of the visible view."""
        if self.work.currentWidget() is self.browse_view:
            self.browse_view.select_all()
        elif isinstance(table := self.focusWidget(), QAbstractItemView):
            table.selectAll()

    # View

    def browse(self) -> None:
        self._show_view("browse")

    def query_lab(self) -> None:
        self._show_view("query_lab")
        self.query_view.focus_query()

    def contradictions(self) -> None:
        self._show_view("contradictions")
        self.contradictions_view.list.setFocus()

    def decay(self) -> None:
        self.decay_viewmodel.look_at(self.browse_viewmodel.selected)
        self._show_view("decay")
        self.decay_view.chart.setFocus()

    def activity(self) -> None:
        self._show_view("activity")
        self.activity_view.look()

    def graph(self) -> None:
        self.graph_viewmodel.look(self.browse_viewmodel.current)
        self._show_view("graph")
        self.graph_view.canvas.setFocus()

    def health(self) -> None:
        self.health_viewmodel.look()
        self._show_view("health")
        self.health_view.list.setFocus()

    def evaluation(self) -> None:
        self.evaluation_viewmodel.look()
        self._show_view("evaluation")
        self.evaluation_view.profiles.setFocus()

    def search(self) -> None:
        self.browse()
        self.browse_view.focus_search()

    def refresh(self) -> None:
        self.store.changed.emit(None)
        self.store.ask_status()

    # Help

    def palette(self) -> None:  # type: ignore[override]
        CommandPalette([made for name, made in self.actions_by_name.items() if name != "palette"], self).show_over(self)

    def take_tour(self) -> None:
        """Start the tour of every view, on the open store or on the sample."""
        if self.store.is_open:
            self.onboarding.start()
        else:
            self._tour_when_open = True
            self.store.open_sample()

    def fetch_model(self) -> None:
        self.model_viewmodel.fetch()

    def shortcuts(self) -> None:
        entries = [(each.menu, each.text, each.about, shown_keys(each)) for each in ACTIONS if each.keys]
        ShortcutSheet(entries, self).open()

    # Qt

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if not paths:
            return
        event.acceptProposedAction()
        if paths[0].suffix == ".db" or self.store.is_writable:
            self.files.take(paths[0])
        else:
            self.status.complain("Open a store first, then drop files to import them.")

    def closeEvent(self, event: QCloseEvent) -> None:
        self.detail_viewmodel.save()
        window_state.save(self, self._splits, self.settings)
        for dialog in self.findChildren(QDialog):
            dialog.close()
        self.serving.end()
        self.model_viewmodel.stop()
        self.store.end()
        super().closeEvent(event)
