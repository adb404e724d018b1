"""Where the bundled program begins."""

import multiprocessing
import sys

from inspector.__main__ import main

if __name__ == "__main__":
    multiprocessing.freeze_support()  # a library that starts processes would else start windows
    sys.exit(main())
