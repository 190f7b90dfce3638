# SPDX-License-Identifier: BSD-3-Clause
"""Who calls whom among files of C and C++, by the names of functions: what checks of the
architecture look at."""
import graphlib
import re
from collections import defaultdict

SOURCES = (".c", ".h", ".cpp", ".hpp")
HEADERS = (".h", ".hpp")
UNNAMED = re.compile(r"(?ms)^namespace \{$.*?^\} +// namespace$")
# In the first column, as ours all are: up to the body, and up to the semicolon.
BODY = re.compile(r"(?m)^(\w[\w \t*:&<>]*?)[ *&](\w+) ?\([^;{}]*?\)(?: const)?(?: noexcept)?\s*\{")
PROTOTYPE = re.compile(r"(?m)^\w[\w \t*:&<>]*?[ *&]\w+ ?\([^;{}]*?\)[^;{}()]*;")
PRIVATE = re.compile(r"static(?! inline)|namespace\b")


def code(text):
    """Without comments and strings."""
    return re.sub(r'(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', " ", text)


def words(text):
    """What may be a call: no prototypes, no members."""
    return set(re.findall(r"(?<![.>])\b\w+", PROTOTYPE.sub(" ", text)))


def functions(text):
    """name -> the words of its body, of those that other files can call: no static ones, but the
    inline ones of headers."""
    found, text = {}, code(UNNAMED.sub("", text))
    for match in BODY.finditer(text):
        if not PRIVATE.match(match[1]):
            end = re.compile(r"(?m)^\}|\}$").search(text, match.end())
            found[match[2]] = words(text[match.end() : end.start() if end else len(text)])
    return found


class Calls:
    """Of the texts of files, by path.  What a header has inline belongs to who calls it."""

    def __init__(self, texts):
        self.texts = texts
        defined = {path: functions(text) for path, text in texts.items()}
        files = defaultdict(list)
        for path, names in defined.items():
            for name in names:
                files[name].append(path)
        self.home = {name: paths[0] for name, paths in files.items() if len(paths) == 1}
        self.inline = {
            name: defined[path][name] & set(self.home) - {name}
            for name, path in self.home.items()
            if path.endswith(HEADERS)
        }

    def used_in(self, path):
        """The others' functions that a file names."""
        text = code(self.texts[path])
        return words(text) & set(self.home) - {name for _, name in BODY.findall(text)}

    def reached(self, names):
        """The same with what the inline ones among them call, and without those."""
        left, seen = list(names), set()
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                left += self.inline.get(name, ())
        return seen - set(self.inline)

    def between_files(self):
        """(caller, callee) -> functions"""
        found = defaultdict(set)
        for path in self.texts:
            if not path.endswith(HEADERS):
                for name in self.reached(self.used_in(path)):
                    if self.home[name] != path:
                        found[path, self.home[name]].add(name)
        return dict(found)


def includes(texts):
    """(header, header that it includes)"""
    headers = [path for path in texts if path.endswith(HEADERS)]
    return {
        (path, other)
        for path in headers
        for name in re.findall(r'(?m)^# ?include "([^"]+)"', texts[path])
        for other in headers
        if f"/{other}".endswith(f"/{name}")
    }


def circles(edges):
    """Circles, one after the other, until none would be left if the first edge of each were
    taken out."""
    edges = set(edges)
    while True:
        graph = defaultdict(set)
        for a, b in sorted(edges):
            graph[b].add(a)
        try:
            graphlib.TopologicalSorter(graph).prepare()
            return
        except graphlib.CycleError as e:
            yield e.args[1]
            edges.remove((e.args[1][0], e.args[1][1]))
