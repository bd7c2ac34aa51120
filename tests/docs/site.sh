#!/bin/sh
# usage: site.sh SOURCE OUT
set -eu
if ! /usr/bin/python3 -c 'import furo, myst_parser, sphinx' 2>/dev/null; then
  echo "python3-sphinx, python3-myst-parser or furo is not installed: skipped"
  exit 77
fi
rm -rf "$2"
"$1/scripts/make-site" "$2"
for page in index start methods compare functions privacy config examples/README examples/traffic; do
  test -s "$2/$page.html"
done
grep -q '<math' "$2/methods.html" # drawn by the browser itself
if grep -lE '<(script|link|img)[^>]*(src|href)="https?://' "$2"/*.html; then
  echo "expected a site that works offline, got pages that load from elsewhere" >&2
  exit 1
fi
