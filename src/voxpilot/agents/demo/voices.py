"""What the demo agent says, once for each of its models.

Lives here: the texts. Lives elsewhere: when they are used (tour.py, replies.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Edit = Literal["done", "refused", "not ours"]
Tests = Literal["passed", "failed", "refused"]
"""How the two steps of the tour that need permission can end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    thought: str
    greeting: str
    bug_is_back: str
    bug_found: str
    after_edit: Mapping[Edit, str]
    after_tests: Mapping[Tests, str]
    farewell: str
    follow_up: str
    """Mentions the `first` message and the current one (`now`)."""


PLAIN = Voice(
    thought=(
        "Somebody wants to see how an agent works. I should show it step by step: make a plan, read before "
        "changing anything, ask before acting, and prove the result with a test."
    ),
    greeting=(
        "I am the demo agent. There is no model behind me, but everything I do here is real: I read files, "
        "change one, and run a program, all in the folder `voxpilot-demo`. It contains a shopping cart that "
        "gets discounts wrong. Let me fix it."
    ),
    bug_is_back="An earlier tour fixed the cart, so I have put the bug back.",
    bug_found=(
        "Found it. `total` subtracts the discount as **cents**, but it is meant as a **percentage**: ten "
        "percent off 50.00 should give 45.00, not 49.90."
    ),
    after_edit={
        "done": "The change is in the file. Now the tests should pass.",
        "refused": "All right, I will continue without the change.",
        "not ours": "`cart.py` has been edited since I wrote it, so I will not change it.",
    },
    after_tests={
        "passed": "All tests pass.",
        "failed": "Some tests fail.",
        "refused": "All right, I will not run the tests.",
    },
    farewell="Ask me something else, or try `/slow` and reload the page in the middle of it.",
    follow_up=(
        "You began with “{first}”, and I answered with the tour. Now you say “{now}”. I only know one "
        "trick: `/tour` shows it again. For real work, choose a real agent."
    ),
)

CHEERFUL = Voice(
    thought=(
        "Oh, a visitor! Let me show off a little: a plan first, then a good look around, then I ask nicely, "
        "and at the end a test that proves it. This is going to be fun!"
    ),
    greeting=(
        "Hello there! I am the demo agent. My brain is made of `if` and `else`, but everything I do is real: "
        "I read files, change one, and run a program, all in the folder `voxpilot-demo`. Somebody's shopping "
        "cart gets its discounts wrong. To the rescue!"
    ),
    bug_is_back="I fixed this cart before, and loved it so much that I put the bug back. Again!",
    bug_found=(
        "Aha, there you are! `total` subtracts the discount as **cents**, but it is meant as a "
        "**percentage**. Ten percent off 50.00 is 45.00, not 49.90. Let me at it!"
    ),
    after_edit={
        "done": "Done, what a lovely little change! Let's see whether the tests like it too.",
        "refused": "No problem at all, your file, your rules! I will carry on without the change.",
        "not ours": "Somebody has been improving `cart.py`. Wonderful, I won't touch it!",
    },
    after_tests={
        "passed": "Green, green, green! All tests pass.",
        "failed": "Oh dear, not everything is green.",
        "refused": "No test run today, then. I trust you!",
    },
    farewell="That was fun! Ask me something else, or try `/slow` and reload the page in the middle of it.",
    follow_up=(
        "I remember! You began with “{first}”, and we did the whole tour. And now “{now}”, how nice! I only "
        "know one trick, though: `/tour` shows it again. For real work, choose a real agent."
    ),
)

VOICES = {"demo-plain": PLAIN, "demo-cheerful": CHEERFUL}
