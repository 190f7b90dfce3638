#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The filter between our headers and Doxygen: FILE on the command line, text for Doxygen on stdout.

Our headers have plain comments: one before a declaration, or behind it on its line. A comment
before a paragraph of declarations is about all of them that have none of their own. The comment at
the top is about the file. A line "/* ---- title ---- */" begins a section."""
import re
import sys

SECTION = re.compile(r"/\* -{3,} (.*?) -{3,} \*/\s*$")


def escaped(text):
    """Doxygen's commands and tags in plain text are plain text."""
    return re.sub(r'([\\@<>#%&$"])', r"\\\1", text)


def comment_text(lines):
    text = "\n".join(lines).strip()
    text = re.sub(r"^/\*+|\*/$", "", text)
    return "\n".join(re.sub(r"^\s*\* ?", "", line) for line in text.splitlines()).strip("\n ")


def documentation(text, indent=""):
    body = escaped(text).replace("\n\n", "\n@par\n")
    return f"{indent}/** {body} */"


def blocks(lines):
    """("comment", lines) for a comment that begins its line and ends one; ("code", [line]) else."""
    i = 0
    while i < len(lines):
        if lines[i].lstrip().startswith("/*") and "*/" not in lines[i].rstrip()[:-2]:
            end = i
            while "*/" not in lines[end]:
                end += 1
            if lines[end].rstrip().endswith("*/"):
                yield "comment", lines[i : end + 1]
                i = end + 1
                continue
        yield "code", [lines[i]]
        i += 1


class Filter:
    def __init__(self, name):
        self.name, self.out = name, []
        self.about = ""  # the comment before the paragraph
        self.documented = False  # has the next declaration a comment that was just written?
        self.depth = 0  # of braces, but for extern "C"
        self.in_statement = False
        self.sections = 0

    def write(self, *lines):
        self.out += lines

    def comment(self, lines):
        section = SECTION.match(lines[0].strip()) if len(lines) == 1 else None
        text = comment_text(lines)
        if "SPDX" in text and len(lines) == 1 or re.match(r"[A-Z_]+_H(_INCLUDED)?$", text):
            return
        if section:
            self.write(f"/** @name {escaped(section[1])} */")
            self.about = ""
        elif not self.sections:
            self.write(
                "/** @file",
                f" * {self.name}",
                "@verbatim",
                text.replace("*/", "* /"),
                "@endverbatim */",
            )
            self.sections = 1
        else:
            self.about, self.documented = text, True
            self.write(documentation(text))

    def code(self, line):
        """A comment behind code is about that code; a declaration without any gets the paragraph's."""
        code, _, rest = line.partition("/*")
        begins = self.depth == 0 and not self.in_statement and re.match(r"\s*[A-Za-z_]", code)
        is_declaration = begins and not re.match(r"\s*(extern \"C\"|#)", code)
        if is_declaration and not rest and self.about and not self.documented:
            self.write(documentation(self.about))
        if rest and not re.match(r"\s*#(?!define)", code):
            text = rest.rsplit("*/", 1)[0].strip()
            line = (
                f"{code.rstrip()} /**< {escaped(text)} */"
                if code.strip()
                else f"/** {escaped(text)} */"
            )
        self.write(line)
        if not re.match(r"\s*#", code) and not re.match(r'\s*extern "C" \{', code):
            self.depth = max(0, self.depth + code.count("{") - code.count("}"))
            stripped = code.strip()
            if stripped:
                self.in_statement = not (stripped.endswith((";", "}")) and self.depth == 0)
        if is_declaration or re.match(r"\s*#", code):
            self.documented = False
        if not line.strip():
            self.about, self.documented = "", False
            self.in_statement = self.in_statement and self.depth > 0

    def run(self, text):
        for kind, lines in blocks(text.splitlines()):
            if kind == "comment" and self.depth == 0 and not self.in_statement:
                self.comment(lines)
            elif kind == "comment":
                self.write(documentation(comment_text(lines)))
            else:
                self.code(lines[0])
        return "\n".join(self.out) + "\n"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(Filter(sys.argv[1].rsplit("/", 1)[-1]).run(file.read()))


if __name__ == "__main__":
    main()
