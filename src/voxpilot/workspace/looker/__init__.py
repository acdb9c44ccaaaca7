"""A program that looks into a chat's folders: lists files, searches them, asks git.

Run as `python -I -S looker/__main__.py`, with a task as JSON on standard input. It is a separate process,
because a pattern, an index or an object can keep a program busy forever.

Everything is opened beneath the chat's roots, step by step and without following links, and only what was
opened is read, so replacing a folder in the meantime has no effect. Git never sees the folder, its settings
or its index; it sees a private directory created for the task.

Lives here, in reading order: the tasks (tasks.py), walking and ignore files (walking.py),
searching (searching.py), finding the repository (repository.py), the private directory that git
works in (view.py), the state of the files on disk (work_files.py), differences and commits (history.py).
Lives elsewhere: starting this program (../looking.py), the jail (../folder.py).
"""
