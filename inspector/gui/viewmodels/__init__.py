"""The viewmodels: state and actions of the views as QObjects with signals; QtCore only, testable without a window."""
