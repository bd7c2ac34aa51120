#!/usr/bin/env python3
"""The installed library does not depend on fmt: all that its modules want of it is what src/base/fmt.cpp compiles.

    fmt_symbols.py NM BASE_ARCHIVE ARCHIVE..."""

import re
import subprocess
import sys

VFORMAT = re.compile(r"fmt::v\d+::vformat\[abi:cxx11\]\(")


def symbols(nm, archive, kinds):
    output = subprocess.run([nm, "-C", archive], check=True, capture_output=True, text=True).stdout
    lines = (line.split(None, 2 if line[0] != " " else 1) for line in output.splitlines() if " fmt::" in line)
    return {parts[-1] for parts in lines if parts[-2] in kinds}


def main():
    nm, base, *archives = sys.argv[1:]
    if not any(VFORMAT.match(name) for name in symbols(nm, base, "TW")):
        sys.exit(f"{base}: expected fmt::vformat, got none")
    for archive in archives:
        others = {name for name in symbols(nm, archive, "U") if not VFORMAT.match(name)}
        if others:
            sys.exit(f"{archive}: expected nothing of fmt but fmt::vformat (fmt::format), got {min(others)}")


main()
