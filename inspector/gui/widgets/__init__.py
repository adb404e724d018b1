"""Parts that several views are made of; they know no view, no viewmodel and no service."""
