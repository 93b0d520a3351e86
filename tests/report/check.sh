#!/usr/bin/env bash
# usage: tests/report/check.sh template|page FOLDER
#   template  builds the page anew in FOLDER and compares it with the one that is checked in
#   page      opens pages in a browser; PARTE_REPORT_FILES, separated by colons, are opened as well
# Exit code 77: not possible on this machine, which one line explains.
set -euo pipefail
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
template=$source_dir/apps/report/template.html
folder=$2

case $1 in
  template)
    "$source_dir/apps/report/packages.sh" "$folder"
    cd "$folder"
    npm run --silent build >build.log 2>&1 || { cat build.log >&2; exit 1; }
    cmp "$template" template.html || {
      echo "apps/report/template.html is not what its sources give. Rebuild it: ./run report" >&2
      exit 1
    }
    ;;
  page)
    browser=
    for name in "${PARTE_BROWSER:-}" chromium chromium-browser google-chrome; do
      if [[ $name ]] && command -v "$name" >/dev/null; then browser=$(command -v "$name"); break; fi
    done
    [[ $browser ]] || { echo "report page: needs chromium, which is not here (./run setup browser)." >&2; exit 77; }
    "$source_dir/apps/report/packages.sh" "$folder"
    cd "$folder"
    PARTE_BROWSER=$browser PARTE_REPORT_TEMPLATE=$template node --test --test-concurrency=1 --test-reporter=spec tests/*_test.mjs
    ;;
  *)
    sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
