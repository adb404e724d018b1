"""What the views show and do: QObjects with signals, QtCore only, testable without a window."""
