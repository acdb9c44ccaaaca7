"""Known programs that read or change files, and git, with everything that may follow their names.

Lives here: only the tables. An option that writes elsewhere, follows links, reads names from a file or
starts a program is left out on purpose. Lives elsewhere: how words are read (options.py), what they mean for
files (programs.py), programs that run code of the folder (runner_tables.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot.chat.permissions.options import Options
from voxpilot.values import dataclass

ANYTHING = r"[^@].*|"
"""An operand that is a file or text. Some programs take a word that begins with `@` as a list of options."""


DEVICES = frozenset({"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty"})
"""Paths outside every folder that anybody may read, or write to; but not replace, remove or change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A program whose operands are files or text."""

    options: Options
    text_first: bool = False
    """The first operand is a pattern, not a file."""
    text_only: bool = False
    """All operands are text."""
    changes: bool = False
    removes: str = ""
    """Which operands are removed: all, or the sources, which are all but the last."""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _tool(letters: str = "", texts: str = "", long: str = "", **more: Any) -> Tool:
    """Long names end in `:` if they need a value, and in `=` if the value can only follow that sign."""
    kept = {name: more.pop(name) for name in ("most", "numbers", "attached") if name in more}
    return Tool(options=described(letters, texts, long, **kept), **more)


def described(
    letters: str,
    texts: str,
    long: str,
    *,
    most: int | None = None,
    numbers: bool = False,
    attached: bool = True,
    operands: str = ANYTHING,
    forms: str = "",
) -> Options:
    names = long.split()
    return Options(
        letters=letters,
        has_attached=attached,
        has_numbers=numbers,
        flags=frozenset(f"--{name}" for name in names if name[-1] not in ":="),
        texts=frozenset([f"-{letter}" for letter in texts] + [f"--{n[:-1]}" for n in names if n[-1] == ":"]),
        equals=frozenset(f"--{name[:-1]}" for name in names if name[-1] == "="),
        operands=operands,
        forms=forms,
        most=most,
        has_end=True,
    )


_GREP = _tool(
    "abchHiIlLnoqrsvwxEFPZz", "ABCm",
    "ignore-case line-number count files-with-matches files-without-match no-filename with-filename "
    "include: exclude: exclude-dir: word-regexp only-matching invert-match recursive quiet no-messages "
    "max-count: after-context: before-context: context: extended-regexp fixed-strings perl-regexp color color=",
    text_first=True, numbers=True,
)  # fmt: skip

FILE_TOOLS: dict[str, Tool] = {
    "ls": _tool("1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ", "",
                "all almost-all human-readable recursive reverse size sort= time= color color= inode directory "
                "group-directories-first full-time time-style="),
    "cat": _tool("AbeEnstTuv", "", "number show-all show-ends squeeze-blank"),
    "head": _tool("qvz", "nc", "lines: bytes: quiet", numbers=True),
    "tail": _tool("qvz", "nc", "lines: bytes: quiet", numbers=True),
    "wc": _tool("cmlLw", "", "lines words chars bytes"),
    "file": _tool("bik", "", "brief mime mime-type"),
    "stat": _tool("t", "c", "format: printf: terse"),
    "du": _tool("abchkmsx", "d", "summarize human-readable max-depth: total"),
    "df": _tool("hkT", most=1),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": _tool("acFHhIilnNopqsSUvwx", "ABCmtTMjg",
                "no-ignore ignore-case line-number count files-with-matches glob: iglob: type: type-not: "
                "max-count: max-depth: context: after-context: before-context: heading no-heading "
                "fixed-strings word-regexp only-matching stats json sort: multiline smart-case color:",
                text_first=True),
    "sort": _tool("bdfghinrRsuVz", "kt", "unique reverse numeric-sort"),
    "uniq": _tool("cdDiuz", "fsw", "count repeated unique", most=1),
    "cut": _tool("ns", "bcdf", "delimiter: fields: characters:"),
    "tr": _tool("cCdst", text_only=True),
    "nl": _tool("p", "bnsvw"),
    "cmp": _tool("bls"),
    "comm": _tool(),
    "basename": _tool("a", "s"),
    "dirname": _tool("z"),
    "realpath": _tool("emqs"),
    "readlink": _tool("efmnq"),
    "pwd": _tool("LP", most=0),
    "true": _tool(text_only=True),
    "false": _tool(text_only=True),
    "which": _tool("a", text_only=True),
    "whoami": _tool(most=0),
    "id": _tool("ugnG", most=0),
    "uname": _tool("amnoprsv", most=0),
    "nproc": _tool(most=0),
    # It reads the letters after one with a value as further options: `-Lo 2 x` writes to x.
    "tree": _tool("adfhpsFD", "LIP", "dirsfirst gitignore noreport", attached=False),
    "jq": _tool("cCeMnrsSj", "", "raw-output compact-output sort-keys slurp", text_first=True),
    "seq": _tool("w", "s", text_only=True),
    "tac": _tool(),
    "rev": _tool(),
    "paste": _tool("sz", "d"),
    "fold": _tool("bs", "w"),
    "column": _tool("t", "s"),
    "od": _tool("abcdox", "AjNt"),
    "hexdump": _tool("bcCdox", "ns"),
    "strings": _tool("a", "nt"),
    "md5sum": _tool("bt"),
    "sha1sum": _tool("bt"),
    "sha256sum": _tool("bt"),
    "mkdir": _tool("pv", "", "parents verbose", changes=True),
    "touch": _tool("acm", "", "no-create", changes=True),
    # Not recursive: what a copied tree overwrites, and through which links, cannot be seen from its name.
    "cp": _tool("finpuv", "", "force no-clobber verbose", changes=True),
    "mv": _tool("finuv", "", "force no-clobber verbose", changes=True, removes="sources"),
    "rm": _tool("dfirRv", "", "recursive force verbose dir", changes=True, removes="all"),
    "rmdir": _tool("pv", "", "parents", changes=True, removes="all"),
    "tee": _tool("a", "", "append", changes=True),
}  # fmt: skip

# Git

_NAMES = r"[A-Za-z0-9_./@][A-Za-z0-9_./@~^+,=-]*"
"""A file or a revision. Git itself expands patterns and the signs that begin with a colon."""
_BRANCH = r"[A-Za-z0-9_][A-Za-z0-9_./-]*"


def _git(letters: str = "", texts: str = "", long: str = "", **more: Any) -> Tool:
    kept = {name: more.pop(name) for name in ("most", "numbers", "forms") if name in more}
    operands = more.pop("operands", _NAMES)
    return Tool(options=described(letters, texts, long, operands=operands, **kept), **more)


_HISTORY: dict[str, Any] = {
    "letters": "abcgimpqrRstuwzEF",
    "texts": "nSG",
    "long": "stat stat= shortstat numstat dirstat name-only name-status oneline graph all cached staged color "
    "color= no-color patch no-patch decorate decorate= no-decorate abbrev-commit since= until= after= before= "
    "author= committer= grep= format= pretty pretty= follow unified= max-count= skip= reverse first-parent "
    "merges no-merges summary word-diff word-diff= color-words date= diff-filter= raw find-renames find-copies "
    "minimal patience histogram exit-code quiet check merge-base left-right cherry-pick topo-order date-order "
    "no-ext-diff no-textconv ancestry-path full-index binary abbrev abbrev= no-renames function-context tags "
    "branches remotes ignore-all-space ignore-space-change ignore-blank-lines",
    "forms": r"-U[0-9]{1,4}|-[MC][0-9]{0,3}%?",
    "numbers": True,
}

GIT: dict[str, Tool] = {
    "status": _git("sbvz", "", "short branch long porcelain porcelain= untracked-files untracked-files= ignored "
                   "verbose", forms="-u(no|normal|all)?"),
    "diff": _git(**_HISTORY),
    "log": _git(**_HISTORY),
    "show": _git(**_HISTORY, operands=rf"{_NAMES}(:{_NAMES})?"),
    "shortlog": _git("nse", "", "numbered summary email since= until= all"),
    "blame": _git("bcefhlpstw", "L", "porcelain line-porcelain show-email"),
    "ls-files": _git("cdmiostuvz", "x", "cached deleted modified others ignored stage exclude-standard "
                     "error-unmatch unmerged"),
    "ls-tree": _git("dlrtz", "", "name-only name-status long full-tree"),
    "rev-parse": _git("q", "", "verify short short= abbrev-ref show-toplevel git-dir is-inside-work-tree "
                      "symbolic-full-name show-prefix show-cdup git-common-dir"),
    "describe": _git("", "", "tags all always dirty long abbrev= exact-match"),
    "merge-base": _git("a", "", "all is-ancestor fork-point octopus"),
    "branch": _git("arvl", "", "all remotes list verbose contains= merged= no-merged= sort= show-current format=",
                   most=0),
    "tag": _git("l", "", "list sort= contains= points-at= merged=", most=0, forms="-n[0-9]{0,3}"),
    "add": _git("AnuvN", "", "all update dry-run verbose intent-to-add"),
    "commit": _git("aqvs", "m", "message: all amend no-edit quiet verbose allow-empty signoff", changes=True),
    "mv": _git("knv", "", "", changes=True, removes="sources"),
    "rm": _git("fnqr", "", "cached force quiet dry-run", changes=True, removes="all"),
    # Without a new branch these change files, hooks and instructions for agents to those of another one.
    "switch": _git("q", "c", "create: quiet", changes=True, most=0),
    "checkout": _git("q", "b", "", changes=True, most=0),
}  # fmt: skip
NEW_BRANCH = {"switch": ("-c", "--create"), "checkout": ("-b",)}
"""Options without which these are asked about."""

# Others

FIND_WITH_VALUE = words(
    "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -newer -perm -regex "
    "-iregex -regextype -user -group -atime -ctime -amin -cmin -links -inum"
)
FIND_ALONE = words(
    "-not -o -or -a -and -print -print0 -empty -prune -readable -executable -true -false -ls ! ( )"
)

TESTS = words("-d -e -f -g -h -k -L -p -r -s -S -u -w -x")
"""What may be tested about a file."""

CHMOD = _tool(changes=True)
MODES = words(
    "+x -x u+x a+x ug+x u+r u+w u-w a+r g+w go-w go-rwx +r +w -w ugo+x u+rw u+rwx u=rw u=rwx "
    "644 755 600 700 640 750 664 775 444 555 400 500 0644 0755 0600 0700"
)

JQ_NAMES = words(
    "length keys keys_unsorted values type add any all flatten unique sort reverse first last min max tostring "
    "tonumber not empty map select has to_entries from_entries and or if then else end true false null join"
)
"""Words of jq's language that read nothing but its input."""
