"""Runs two lists of make targets at the same time (`make test`): each waits for half of its time.

The output of the first is shown as it comes, that of the second when the first is done.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile


def main() -> int:
    """Run both lists of targets, each in its order; fail when any target fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", default="make", help="the program that runs the targets")
    parser.add_argument("first")
    parser.add_argument("second")
    arguments = parser.parse_args()
    commands = [
        [arguments.make, "--no-print-directory", "--keep-going", *targets.split()]
        for targets in (arguments.first, arguments.second)
    ]
    with tempfile.TemporaryFile() as output:
        second = subprocess.Popen(commands[1], stdout=output, stderr=subprocess.STDOUT)
        try:
            failed = [subprocess.run(commands[0]).returncode, second.wait()]
        finally:
            second.terminate()
            second.wait()
            print(f"\nmake {arguments.second}, which ran at the same time:", flush=True)
            output.seek(0)
            shutil.copyfileobj(output, sys.stdout.buffer)
            sys.stdout.flush()
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
