"""Command lines whose danger is in how their words work together; a chat must ask about each.

Lives here: the list, for the folder of unasked.py. They are judged only in memory.
"""

from __future__ import annotations

from tests.kit.oracles.unasked import Call, run

LINES = r"""
/usr/bin/cd sub && cat ../outside/secret
/bin/cd sub && cat ../outside/secret
/usr/local/bin/cd sub
/usr/bin/exit 1
/usr/bin/command -v ls
/usr/bin/time ls
timeout 5 /usr/bin/cd sub
cd +1 && cat x
printf '%d' 'psvar[$(touch pwned)]'
printf %d 'psvar[$(touch pwned)]'
printf '%i' 'a[$(id)]'
printf '%x %s' 'a[$(id)]' x
printf '%*s' 'a[$(id)]' x
printf '%.*s' 'a[$(id)]' x
printf 'x%n' PATH && ls
printf '%b' x
printf '%(%s)T' 1
printf '%q' x
printf '%5s' x
printf %
test 'a[$(id)]' -ne 0
test 0 -eq 'a[$(id)]'
test -v 'a[$(id)]'
test -n x -a 'a[$(id)]' -gt 0
test -ne 'a[$(id)]' 0
strings -n @o.txt
strings -n@o.txt
strings -t @o.txt a.py
strings -an @o.txt
echo '4 /any/secret' > o.txt && strings -n @o.txt
head -n @x a.py
head --lines=@x a.py
tree -Io pat AGENTS.md
tree -Lo 2 AGENTS.md
tree -Il pat .
tree -Ipat .
tree -L2 .
tree -aI pat .
tree -aL 2 .
tree -Po pat AGENTS.md
grep -r --exclude=zzz --include='*.py' KEY .
grep -r --exclude=zzz --include=x.py '' .
grep -r --include='*.py' --exclude=zzz KEY .
grep -r --exclude-dir=zzz --include='*.py' KEY .
grep -r --exclude zzz --include '*.py' KEY
npx --no-install cat a.py
npx --no-install git status
npx --no-install ls
npx --no-install echo x
npx --no-install nyc cat a.py
npx --no-install time ls
npx --no-install timeout 5 ls
npx --no-install /usr/bin/cat a.py
pipenv run ls
pipenv run sed -n 1p a.py
uv run which x
uv run cat a.py
uv run uv run cat a.py
poetry run find .
bundle exec date
pnpm exec sleep 1
nyc ls
c8 cat a.py
""".strip().split("\n")
MOVES = r"""
mv src x
mv src x && cat x/a.py
mv src x && echo hi > x/a.py
mv src x; cat x/a.py
cat x/a.py | mv src x
mv src x | cat x/a.py
git mv src z && cat z/a.py
cd sub && mv ../src ../y && cat ../y/a.py
mv way x
mv way sub/way && cat sub/way/secret
mv d e && echo x > e/l
mv d e && cp a.py e/l
mv d e && cat e/l
mv f/g/l f.txt && cat f.txt
mv f/g/l f.txt
mv f/g/l l/secret .
mv f/./g//l l/secret .
rm d/l && mkdir d/l
rm -rf d && mkdir -p d/l
rm way; mkdir way; cat way/../../x
rm way && echo x > way
mkdir -p p/q && cd p/q && mv ../q ../../z && cat ../../outside/secret
mkdir -p p/q && cd p/q && mv ../q ../../z && echo x > ../../outside/new
mkdir -p p/q && cd p/q && mv ../q ../../z && rm -rf ../../outside
mkdir -p p/q && cd p/q && mv ../q ../../z && cp ../../outside/secret s.txt
mkdir -p p/q && cd p/q && mv ../q ../../z && bash ../../outside/x.sh
mkdir -p p/q && cd p/q && mv ../q ../../z && python3 ../../outside/x.py
mkdir -p p/q && cd p/q && mv ../../p/q ../../z && cat ../../outside/secret
mkdir -p p/q && cd p/q && mv ROOT/p/q ROOT/z && cat ../../outside/secret
mkdir -p p/q && cd p/q && mv ROOT/p ROOT/z && cat x
mkdir -p p/q && cd p/q; mv ../q ../../z; cat ../../outside/secret
mkdir -p p/q && cd p/q && git mv ../q ../../z && cat ../../outside/secret
mkdir -p p/q/r && cd p/q/r && mv ../r ../../../z && grep -r '' ../..
mkdir -p p/q && cd p/q && rm -rf ../q && cat ../../outside/secret
mkdir -p p/q && cd p/q && rmdir ../q && cat ../../outside/secret
cd way && mv ../sub/far ../z && cat x
cd way && mv ROOT/sub/far ROOT/z && cat x
""".strip().split("\n")
"""After which other paths lead elsewhere; `d/l` leads to a hook, and `f/g/l` to `../b.txt`."""

UNTRACKED = r"""
git add -A
git add .
git add --all
git add -N .
git add -A && git diff --cached
git add keys
git add -u keys -A
git add -Nv keys
cd f && git add -A
cd f && git add .. && git diff --cached
git diff keys f
rm .gitignore && git add tree
mv .gitignore x && git add tree
echo x > f/.gitignore && git add -A
rg KEY keys
rg KEY
rg --no-ignore KEY
cd keys && rg KEY
cd keys/deep && rg KEY
echo '!.env' > .ignore && rg KEY sub
echo x > sub/HEAD
touch HEAD
touch f/head
mkdir HEAD
cp a.py f/HEAD
mv a.py f/HEAD
mv bare g
cd bare && git status
cd bare/objects && git log
cd bare && git --version
rm -rf bare
""".strip().split("\n")
"""For a repository in which `keys/.env` is not ignored, `keys/.ignore` brings it back, and `bare/HEAD`."""

HOSTILE_LINES: list[Call] = [*map(run, LINES)]
