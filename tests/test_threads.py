"""Threads for calls that may hang: what could not be started takes no place and is never run."""

from __future__ import annotations

import threading

import pytest

from voxpilot.threads import DaemonThreads

MOST = 2


def refuse(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_a_refused_call_takes_no_place_and_is_never_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even by a thread that was busy at the time."""
    threads, go, ran = DaemonThreads(MOST), threading.Event(), list[str]()
    busy = threads.submit(go.wait, 10)
    with monkeypatch.context() as short:
        short.setattr(threading.Thread, "start", refuse)
        for _ in range(MOST + 1):
            with pytest.raises(RuntimeError, match="new thread"):
                threads.submit(ran.append, "refused")
    threads.submit(ran.append, "in another thread").result(10)
    go.set()
    assert busy.result(10)
    threads.submit(ran.append, "in either").result(10)
    assert ran == ["in another thread", "in either"]
