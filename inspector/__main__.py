"""`memory-inspector` and `python -m inspector`."""

import sys


def main() -> int:
    """Run the command line. Everything is imported here, so that Ctrl+C during start prints no traceback."""
    try:
        from inspector import cli

        return cli.main()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        return 130  # as the command line itself ends when it is stopped


if __name__ == "__main__":
    sys.exit(main())
