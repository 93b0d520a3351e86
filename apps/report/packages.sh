#!/usr/bin/env bash
# usage: apps/report/packages.sh FOLDER
# Copies the page's sources and its browser test into FOLDER and fetches the packages they need there, once.
# Exit code 77 with one line that says why: not possible on this machine. npm must hold the lock file to be right.
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1

cannot() { echo "report page: $*" >&2; exit 77; }

command -v npm >/dev/null || cannot "needs node 20.19 or later and npm; there is no npm here."
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  cannot "needs node 20.19 or later; this is $(node --version)."

mkdir -p "$folder"
cd "$folder"
exec 9>lock
flock 9 # the tests share the folder
for part in src tests; do rm -rf "$part"; done
cp -r "$source_dir"/apps/report/{src,index.html,package.json,package-lock.json,.npmrc,tsconfig.json,vite.config.ts} .
cp -r "$source_dir/tests/report" tests
if ! cmp -s package-lock.json node_modules/fetched; then
  npm ci --no-progress --fetch-retries=1 --fetch-retry-mintimeout=1000 >npm.log 2>&1 || {
    ! grep -Eq 'ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|SOCKET_TIMEOUT|code E(40[137]|50.)' npm.log ||
      cannot "the registry of npm packages cannot be reached ($folder/npm.log)."
    cat npm.log >&2
    exit 1
  }
  cp package-lock.json node_modules/fetched
fi
