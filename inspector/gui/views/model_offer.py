"""The banner that offers a missing model: download it now, or later."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QWidget

from core import formatting
from inspector.gui import theme
from inspector.gui.viewmodels.model import ModelOfferState, ModelViewModel
from inspector.gui.widgets import layout


class ModelOffer(QFrame):
    def __init__(self, viewmodel: ModelViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self.text = layout.label("", wraps=True)
        self.fetch = layout.button("Download the model", viewmodel.fetch, kind="primary")
        self.later = layout.button("Later", viewmodel.later, about="Not now; Help › Download the Model has it")
        margins = (theme.LARGE, theme.SMALL, theme.LARGE, theme.SMALL)
        line = layout.row(self.fetch, self.later, margins=margins)
        line.insertWidget(0, self.text, 1)
        self.setLayout(line)
        self.hide()
        viewmodel.offered.connect(self._show)

    def _show(self, offer: ModelOfferState | None) -> None:
        self.setVisible(offer is not None)
        if offer is None:
            return
        size = f"{formatting.size(offer.size)}, once"
        self.text.setText(
            f"{offer.trouble} Full text keeps working."
            if offer.trouble
            else f"Only full text answers so far. The model {offer.name} ({size}) adds vector search; it stays "
            f"on this machine."
        )
        self.fetch.setText("Try again" if offer.trouble else "Download the model")
