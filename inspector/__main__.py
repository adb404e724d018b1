"""`memory-inspector` and `python -m inspector`."""

import sys


def main() -> int:
    """Everything is imported only here, or Ctrl+C in the first moment would show where Python was just then."""
    try:
        from inspector import cli

        return cli.main()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        return 130  # as the command line itself ends when it is stopped


if __name__ == "__main__":
    sys.exit(main())
