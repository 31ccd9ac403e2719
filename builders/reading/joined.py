"""Programs of several files as one file, which is what a dataset has a column for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

CPP_SOURCES = frozenset({".cpp", ".cc", ".cxx", ".c++", ".C", ".c"})
CPP_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx"})
OWN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)".*$', re.MULTILINE)


def join_cpp(files: Mapping[str, str]) -> str:
    """Return one C++ file that does what `files`, texts by their paths, do when they are compiled together.

    Every source file goes in, in the order of the names, and each header once, where it is first included. What
    cannot stand in one file (two static functions of the same name) does not compile, and is rejected for that.

    Raises:
        ValueError: There is a file that is neither a source nor a header of C++, or no source.
    """
    sources = [name for name in sorted(files) if posixpath.splitext(name)[1] in CPP_SOURCES]
    others = [name for name in files if posixpath.splitext(name)[1] not in CPP_SOURCES | CPP_HEADERS]
    if others or not sources:
        raise ValueError(f"a submission of {len(files)} files, expected one, or several in C++")
    seen: set[str] = set()

    def text_of(name: str) -> str:
        seen.add(name)

        def included(line: re.Match[str]) -> str:
            # Beside the file that asks first, then from the root, as with -I.
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(name), line[1]))
            found = next((path for path in (beside, posixpath.normpath(line[1])) if path in files), None)
            if found is None:
                return line[0]
            return "" if found in seen else text_of(found)

        own = OWN_INCLUDE.sub(included, files[name].replace("#pragma once", ""))
        return f"// {name}\n{own.rstrip()}\n"

    return "\n".join(text_of(name) for name in sources if name not in seen)
