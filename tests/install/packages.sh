#!/bin/sh
# The packages of a build tree: made twice with the same bytes, clean by lintian where there is one, and usable where they are unpacked.
# usage: packages.sh SOURCE BUILD WORK
set -eu
source=$1
build=$2
work=$3
rm -rf "$work"
mkdir -p "$work/root"
export SOURCE_DATE_EPOCH=1700000000
"$source/scripts/make-packages" "$build" "$work/first"
LINTIAN=no "$source/scripts/make-packages" "$build" "$work/second" >/dev/null
for package in "$work"/first/*.deb; do
  cmp "$package" "$work/second/$(basename "$package")"
  dpkg-deb -x "$package" "$work/root"
done
root=$work/root/usr
test "$("$root/bin/slidemesh" --version)" = "slidemesh $(dpkg-deb -f "$work"/first/slidemesh_*.deb Version)"
(cd "$work" && "$root/bin/slidemesh" run "$source/examples/quickstart.toml" --quiet --set data.rows=500 --set stop.target_gap=1e-2 --out "$work/run")
gzip -dc "$root/share/man/man1/slidemesh.1.gz" | grep -q slidemesh
test -s "$root/share/bash-completion/completions/slidemesh"
test -f "$root/include/slidemesh/slidemesh.h"
find "$root" -name slidemesh-config.cmake | grep -q .
dpkg-deb -f "$work"/first/slidemesh_*.deb Depends | grep -q libc6
if test -f "$work"/first/python3-slidemesh_*.deb; then
  dpkg-deb -f "$work"/first/python3-slidemesh_*.deb Depends | grep -q python3-numpy
  PYTHONPATH=$root/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import slidemesh, sys
assert slidemesh.__file__.startswith(sys.argv[1]), slidemesh.__file__
nodes = [slidemesh.Function(lambda x, t=t: (x - t) @ (x - t) / 2, lambda x, t=t: x - t, smoothness=1.0) for t in (0.0, 1.0)]
assert abs(slidemesh.solve(nodes, "l2=1", "path", dimension=1).x[0] - 0.5) < 1e-3' "$root"
fi
