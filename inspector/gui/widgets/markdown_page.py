"""A page of the program's own Markdown in the colours of the theme; never used for texts of memories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from inspector.gui import theme

HEADING_PIXELS = {1: 24, 2: 18, 3: 15}
TEXT_PIXELS, CODE_PIXELS = 14, 12
INDENT = 22
LINE_HEIGHT_PERCENT = 135.0


class MarkdownPage(QTextBrowser):
    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setOpenLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setProperty("kind", "page")
        self._markdown, self._words = "", tuple[str, ...]()

    def show_markdown(self, markdown: str) -> None:
        self._markdown = markdown
        self._render()

    def mark(self, words: Sequence[str]) -> None:
        """Highlight every occurrence of the words."""
        self._words = tuple(words)
        form = QTextCharFormat()
        form.setBackground(theme.colour("warning_back"))
        form.setForeground(theme.colour("text"))
        form.setFontUnderline(True)  # not by colour alone
        marks = list[QTextEdit.ExtraSelection]()
        for word in self._words:
            place = self.document().find(word)
            while not place.isNull():
                selection = QTextEdit.ExtraSelection()
                selection.cursor, selection.format = place, form
                marks.append(selection)
                place = self.document().find(word, place)
        self.setExtraSelections(marks)

    def go_to(self, heading: int) -> None:
        """Scroll to a heading by its number, 0 for the first."""
        headings = [block for block in self._blocks() if block.blockFormat().headingLevel()]
        if heading == 0 or heading >= len(headings):
            self.verticalScrollBar().setValue(0)
            return
        self.setTextCursor(QTextCursor(headings[heading]))
        top = self.document().documentLayout().blockBoundingRect(headings[heading]).top()
        self.verticalScrollBar().setValue(round(top) - theme.MEDIUM)

    def select_line(self, text: str) -> None:
        """Scroll to the paragraph or list item with this text, and select it; nothing happens where there is none."""
        block = next((each for each in self._blocks() if each.text() == text), None)
        if block is not None:
            cursor = QTextCursor(block)
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
            top = self.document().documentLayout().blockBoundingRect(block).top()
            self.verticalScrollBar().setValue(round(top) - theme.HUGE)

    def retint(self) -> None:
        """Render again in the colours of the current theme, at the same place."""
        place = self.verticalScrollBar().value()
        self._render()
        self.mark(self._words)
        self.verticalScrollBar().setValue(place)

    def _render(self) -> None:
        document = self.document()
        document.setDefaultFont(theme.font(size=TEXT_PIXELS))
        document.setDocumentMargin(theme.HUGE - theme.SMALL)
        document.setIndentWidth(INDENT)
        features = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
        document.setMarkdown(self._markdown, features)
        for block in list(self._blocks()):
            self._style_block(block)
        for frame in document.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                _style_table(frame)

    def _blocks(self) -> Iterator[QTextBlock]:
        block = self.document().begin()
        while block.isValid():
            yield block
            block = block.next()

    def _style_block(self, block: QTextBlock) -> None:
        cursor = QTextCursor(block)
        form = block.blockFormat()
        level = form.headingLevel()
        if level:
            form.setTopMargin(0 if level == 1 else theme.LARGE + theme.SMALL if level == 2 else theme.LARGE)
            form.setBottomMargin(theme.SMALL)
        elif _is_code(block):
            form.setBackground(theme.colour("hover"))
            form.setNonBreakableLines(False)
            form.setTopMargin(0 if _is_code(block.previous()) else theme.TIGHT)
            form.setBottomMargin(0 if _is_code(block.next()) else theme.MEDIUM)
        else:
            form.setLineHeight(LINE_HEIGHT_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            form.setBottomMargin(theme.TIGHT if block.textList() and block.next().textList() else theme.MEDIUM)
        cursor.setBlockFormat(form)
        if level:
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            heading = QTextCharFormat()
            heading.setFont(theme.font(size=HEADING_PIXELS.get(level, 14), weight=QFont.Weight.DemiBold))
            heading.setForeground(theme.colour("text"))
            cursor.setCharFormat(heading)
        elif _is_code(block):
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            code = QTextCharFormat()
            code.setFont(_code_font())
            cursor.setCharFormat(code)
        else:
            self._style_words(block)

    def _style_words(self, block: QTextBlock) -> None:
        """Set the font of code and the colour of links."""
        found = list[tuple[int, int, QTextCharFormat]]()
        each = block.begin()
        while not each.atEnd():
            piece = each.fragment()
            found.append((piece.position(), piece.length(), piece.charFormat()))
            each += 1
        for start, length, form in found:
            if form.fontFixedPitch():
                form.setFont(_code_font())
            elif form.fontWeight() > QFont.Weight.DemiBold:
                form.setFontWeight(QFont.Weight.DemiBold)  # the boldest that comes with the program
            if form.isAnchor():
                form.setForeground(theme.colour("accent"))
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(form)


def _code_font() -> QFont:
    font = theme.monospace()
    font.setPixelSize(CODE_PIXELS)
    return font


def _is_code(block: QTextBlock) -> bool:
    return block.isValid() and block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def _style_table(table: QTextTable) -> None:
    form = table.format()
    form.setBorder(1)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBorderBrush(QBrush(theme.colour("border")))
    form.setBorderCollapse(True)
    form.setCellSpacing(0)
    form.setCellPadding(theme.TIGHT + 2)
    form.setTopMargin(theme.SMALL)
    form.setBottomMargin(theme.MEDIUM)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    form.setAlignment(Qt.AlignmentFlag.AlignLeft)
    table.setFormat(form)
    for column in range(table.columns()):
        cell = table.cellAt(0, column)
        head = cell.format()
        head.setBackground(theme.colour("raised"))
        cell.setFormat(head)
    for row in range(table.rows()):
        for column in range(table.columns()):
            inside = table.cellAt(row, column).firstCursorPosition()
            block = inside.blockFormat()
            block.setBottomMargin(0)
            inside.setBlockFormat(block)
