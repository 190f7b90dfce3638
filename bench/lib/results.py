# SPDX-License-Identifier: BSD-3-Clause
"""What was measured: the rows of the CSVs, and the arguments of the programs that read them."""
import argparse
import csv
import math
import pathlib


def read(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def value(row, column):
    return float(row[column]) if row.get(column) else math.nan


def arguments(text, doc):
    """Of PROGRAM RESULTS [--doc DOC]; `doc` says what the option does."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--doc", type=pathlib.Path, help=doc)
    return parser.parse_args()
