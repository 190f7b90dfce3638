# SPDX-License-Identifier: BSD-3-Clause
"""Makes the SVGs of matplotlib small: no metadata, coordinates with one decimal, each style
once, no groups around single elements."""
import re


def rounded(text, digits):
    return re.sub(
        r"-?\d+\.\d+(?:e[-+]?\d+)?",
        lambda m: f"{round(float(m[0]), digits) + 0.0:g}" if abs(float(m[0])) < 1e5 else m[0],
        text,
    )


def short_path(match):
    """Markers, which are drawn many times, keep two decimals."""
    data = rounded(match[2], 2 if match[1] else 1)
    return (
        f'{match[1] or ""} d="'
        + re.sub(r" ?([A-Za-z]) ?", r"\1", re.sub(r"\s+", " ", data).strip())
        + '"'
    )


def styles_once(text):
    """A class for each style that several elements have."""
    found = re.findall(r' style="([^"]*)"', text)
    classes = {
        style: f"s{i}"
        for i, style in enumerate(sorted(s for s in set(found) if found.count(s) > 1))
    }
    text = re.sub(
        r' style="([^"]*)"',
        lambda m: f' class="{classes[m[1]]}"' if m[1] in classes else m[0],
        text,
    )
    rules = "".join(
        f".{name}{{{style.replace(': ', ':').replace('; ', ';')}}}"
        for style, name in classes.items()
    )
    return text.replace("</style>", rules + "</style>", 1)


def short_names(text):
    """Ids of markers and clip paths, in the order in which they appear."""
    for i, name in enumerate(dict.fromkeys(re.findall(r'(?:href="#|url\(#)([\w-]+)', text))):
        text = re.sub(rf'(id="|#){name}(?=["\)])', rf"\g<1>i{i}", text)
    return text


def small(text):
    text = re.sub(
        r"<metadata>.*?</metadata>|<!--.*?-->|<\?xml.*?\?>|<!DOCTYPE.*?>", "", text, flags=re.S
    )
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    text = re.sub(r'( id="[^"]*")? d="([^"]*)"', short_path, text)
    text = re.sub(
        r'(?<= )(?:x|y|x1|y1|width|height|transform)="[^"]*"', lambda m: rounded(m[0], 2), text
    )
    text = short_names(styles_once(re.sub(r">\s+<", "><", text).strip()))
    while True:
        flat = re.sub(r"<g>(<[^<>]*/>)?</g>|<g/>", lambda m: m[1] or "", text)
        if flat == text:
            return re.sub(r"(?<=>)(?=<(?:g|text)\b)", "\n", text) + "\n"
        text = flat
