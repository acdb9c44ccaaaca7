"""The sample project that the demo works on: a program with a bug, and its test.

Lives here: its files, and where they are written. A file is changed only if its content is exactly what this
module wrote; any other file may belong to somebody. Lives elsewhere: the tour that uses it (tour.py).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from voxpilot.agents.demo.files import write_atomically

FOLDER = "voxpilot-demo"
BUG = "sum(prices) - discount_percent"
CURE = "sum(prices) * (100 - discount_percent) // 100"

PROGRAM = f'''"""The price of a shopping cart, in cents."""


def total(prices: list[int], discount_percent: int = 0) -> int:
    """The sum of the prices, less the discount."""
    return {BUG}
'''

FIXED_PROGRAM = PROGRAM.replace(BUG, CURE)

TEST = '''"""Run with `python -m unittest`."""

import unittest

from cart import total


class TotalTest(unittest.TestCase):
    def test_an_empty_cart_costs_nothing(self) -> None:
        self.assertEqual(total([]), 0)

    def test_prices_add_up(self) -> None:
        self.assertEqual(total([250, 175]), 425)

    def test_a_discount_is_a_percentage(self) -> None:
        self.assertEqual(total([2000, 3000], discount_percent=10), 4500)


if __name__ == "__main__":
    unittest.main()
'''

README = """# A little shopping cart

VoxPilot's demo agent created this folder to show what an agent does.
You can change it or delete it.
"""


@dataclass(frozen=True, slots=True)
class Project:
    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "cart.py"

    @property
    def test(self) -> Path:
        return self.folder / "test_cart.py"

    def has_bug(self) -> bool:
        """Whether the program is as we wrote it, with its bug."""
        return read(self.program) == PROGRAM

    def fix(self) -> bool:
        """Fix the bug, if the program is still as we wrote it."""
        return self._exchange(PROGRAM, FIXED_PROGRAM)

    def put_bug_back(self) -> bool:
        """Undo the fix of an earlier tour, so that there is a bug to fix again."""
        return self._exchange(FIXED_PROGRAM, PROGRAM)

    def _exchange(self, before: str, after: str) -> bool:
        if read(self.program) != before:
            return False
        write_atomically(self.program, after)
        return True


def lay_out(workspace: Path) -> Project:
    """The project in this workspace; missing files are written."""
    project = Project(workspace / FOLDER)
    project.folder.mkdir(exist_ok=True)
    for path, text in (
        (project.program, PROGRAM),
        (project.test, TEST),
        (project.folder / "README.md", README),
    ):
        with suppress(FileExistsError), path.open("x", encoding="utf-8") as file:
            file.write(text)
    return project


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
