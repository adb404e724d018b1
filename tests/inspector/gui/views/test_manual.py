"""Help › Manual: topics, search, links, back and forward, keys; and the `?` of every view."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication

from inspector import glossary, help_topics
from inspector.gui import theme
from inspector.gui.actions import ACTIONS
from inspector.gui.views.manual import LOCATION, ManualDialog
from inspector.gui.widgets.help_button import HelpButton

VIEWS = [action for action in ACTIONS if action.is_view]


@pytest.fixture
def manual(qtbot, window) -> ManualDialog:
    window.do("manual")
    made = window.help.shown_manual()
    qtbot.waitUntil(made.isVisible)
    return made


def locations(manual: ManualDialog) -> list[str]:
    return [manual.list.item(row).data(LOCATION) for row in range(manual.list.count())]


def test_it_opens_with_every_topic_listed_and_the_first_page_shown(manual):
    assert [each for each in locations(manual) if "#" not in each] == list(help_topics.TOPICS)
    assert manual.page.toPlainText().startswith("The desktop")
    assert not manual.isModal()


def test_without_a_store_it_can_be_opened(window, manual):
    assert not window.store.is_open
    assert window.actions_by_name["manual"].isEnabled()


def test_a_topic_that_is_clicked_is_shown_with_its_sections(manual):
    manual.list.itemClicked.emit(manual.list.item(locations(manual).index("profiles")))
    assert manual.page.toPlainText().startswith("Profiles")
    assert "profiles#oro" in locations(manual)
    assert manual.windowTitle() == "Profiles – Manual"


def test_a_link_leads_to_the_section_and_back_and_forward_return(manual):
    manual.page.anchorClicked.emit(QUrl("architecture.md#where-contradictions-live"))
    assert manual.page.textCursor().block().text() == "Where contradictions live"
    assert manual.page.verticalScrollBar().value() > 0
    assert manual.back.isEnabled()
    manual.back.click()
    assert manual.title.text() == "The desktop"
    assert (manual.back.isEnabled(), manual.forward.isEnabled()) == (False, True)
    manual.forward.click()
    assert manual.title.text() == "Architecture"


def test_a_link_out_of_the_manual_opens_nothing(manual):
    manual.page.anchorClicked.emit(QUrl("https://example.org/"))
    assert manual.title.text() == "The desktop"


def test_a_search_finds_sections_of_all_topics_and_enter_opens_the_first(qtbot, manual):
    qtbot.keyClicks(manual.search_field, "half-life")
    assert {each.partition("#")[0] for each in locations(manual)} >= {"cli", "profiles", "glossary"}
    assert manual.counts.text() == f"{manual.list.count()} sections"
    qtbot.keyClick(manual.search_field, Qt.Key.Key_Return)
    assert manual.page.extraSelections()
    assert manual.title.text() == "The command line"


def test_a_search_without_results_says_so(qtbot, manual):
    qtbot.keyClicks(manual.search_field, "zzzz")
    assert (manual.list.count(), manual.counts.text()) == (0, "No results")


def test_escape_clears_the_search_and_then_closes(qtbot, manual):
    qtbot.keyClicks(manual.search_field, "decay")
    qtbot.keyClick(manual, Qt.Key.Key_Escape)
    assert manual.search_field.text() == ""
    assert manual.isVisible()
    assert not manual.page.extraSelections()
    qtbot.keyClick(manual, Qt.Key.Key_Escape)
    assert not manual.isVisible()


def test_control_f_goes_to_the_search_field(qtbot, manual):
    manual.activateWindow()
    qtbot.waitUntil(manual.isActiveWindow)
    manual.page.setFocus()
    qtbot.keyClick(manual.page, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is manual.search_field


@pytest.mark.parametrize("name", help_topics.TOPICS)
def test_every_page_is_rendered_with_its_headings_in_their_order(manual, name):
    manual.open_page(name)
    block, headings = manual.page.document().begin(), []
    while block.isValid():
        if block.blockFormat().headingLevel():
            headings.append(help_topics.anchor(block.text()))
        block = block.next()
    assert headings == [help_topics.anchor(each.title.replace("`", "")) for each in help_topics.sections(name)]


def test_a_change_of_theme_reaches_the_open_page_and_keeps_its_place(window, manual):
    manual.open_page("profiles#openmem")
    place = manual.page.verticalScrollBar().value()
    window.appearance.apply_theme("dark")
    assert manual.page.verticalScrollBar().value() == place
    assert manual.page.document().begin().charFormat() is not None
    assert manual.page.grab().toImage().pixelColor(2, 200).lightness() < 80
    window.appearance.apply_theme("light")
    assert theme.current() is theme.LIGHT


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_every_view_has_a_button_that_opens_its_section(qtbot, on_sample, view):
    on_sample.do(view.name)
    buttons = on_sample.views[view.name].findChildren(HelpButton)
    wanted = f"desktop#{help_topics.anchor(view.text)}"
    button = next(each for each in buttons if each.location == wanted)
    assert button.isVisible()
    button.click()
    shown = on_sample.help.shown_manual()
    assert shown.page.textCursor().block().text() == view.text


def test_the_profile_that_is_selected_is_explained(qtbot, on_sample):
    on_sample.do("query_lab")
    on_sample.query_view.profile.setCurrentText("two-stage")
    on_sample.query_view.help_profile.click()
    assert on_sample.help.shown_manual().page.textCursor().block().text() == "two-stage"


def test_every_help_button_of_the_window_leads_to_a_section(window):
    buttons = window.findChildren(HelpButton)
    assert len(buttons) >= len(VIEWS) + 2
    for button in buttons:
        topic, _, anchor = button.location.partition("#")
        assert glossary.find(anchor) if topic == "glossary" else help_topics.section(topic, anchor)
        assert button.accessibleName()
        assert button.toolTip()


def test_closing_the_window_closes_the_manual(window, manual):
    window.close()
    assert not manual.isVisible()


@pytest.fixture
def explained(qtbot, on_sample):
    """The explanation page of the Query Lab, with the tree of the first result."""
    on_sample.do("query_lab")
    lab = on_sample.query_view
    with qtbot.waitSignal(on_sample.query_viewmodel.explained, timeout=20_000):
        lab.ask("why do migrations hang?")
    qtbot.waitUntil(lambda: lab.explanation.tree_model.rowCount() > 0)
    return lab.explanation


def go_to_term(page, text):
    model = page.tree_model
    [found] = model.match(model.index(0, 0), Qt.ItemDataRole.DisplayRole, text, 1, Qt.MatchFlag.MatchRecursive)
    page.tree.setCurrentIndex(found)
    return found


def selected_line(window):
    return window.help.shown_manual().page.textCursor().selectedText()


@pytest.mark.parametrize(("text", "entry"), [("BM25", "BM25: "), ("idf", "BM25: "), ("score after decay", "Decay: ")])
def test_the_button_of_an_explanation_opens_the_entry_of_the_current_term(on_sample, explained, text, entry):
    go_to_term(explained, text)
    assert explained.help.isVisible()
    explained.help.click()
    assert on_sample.help.shown_manual().title.text() == "Glossary"
    assert selected_line(on_sample).startswith(entry)


def test_the_menu_of_a_term_opens_its_entry_by_key_and_by_mouse(qtbot, on_sample, explained):
    at = explained.tree.visualRect(go_to_term(explained, "BM25")).center()
    reasons = (QContextMenuEvent.Reason.Keyboard, QContextMenuEvent.Reason.Mouse)
    for reason in reasons:
        viewport = explained.tree.viewport()
        QApplication.sendEvent(viewport, QContextMenuEvent(reason, at, viewport.mapToGlobal(at)))
        menu = QApplication.activePopupWidget()
        assert [each.text() for each in menu.actions()] == ["What is this?"]
        qtbot.keyClick(menu, Qt.Key.Key_Down)
        qtbot.keyClick(menu, Qt.Key.Key_Return)
        assert selected_line(on_sample).startswith("BM25: ")
        on_sample.help.shown_manual().open_page("desktop")


@pytest.mark.parametrize(
    ("view", "location"),
    [
        ("browse", "glossary#confidence"),
        ("decay", "glossary#decay"),
        ("contradictions", "glossary#evidence-score"),
    ],
)
def test_terms_of_a_view_have_a_button_that_opens_their_entry(on_sample, view, location):
    buttons = on_sample.views[view].findChildren(HelpButton)
    next(each for each in buttons if each.location == location).click()
    assert help_topics.anchor(selected_line(on_sample)).startswith(location.partition("#")[2])


def test_the_button_of_a_finding_opens_its_entry(qtbot, on_sample):
    on_sample.do("health")
    health = on_sample.health_view
    qtbot.waitUntil(lambda: health.help_entry.isVisible())
    health.help_entry.click()
    assert selected_line(on_sample)
    assert health.help_entry.location.startswith("glossary#")
