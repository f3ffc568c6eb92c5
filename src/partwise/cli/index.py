"""``partwise index``: write the elements of a collection to one file."""

from __future__ import annotations

import argparse
from typing import Any

from partwise.cli.documents import opened, print_notes_on_reading
from partwise.cli.options import add_reading
from partwise.cli.progress import progress_bar
from partwise.cli.stderr import print_stderr
from partwise.errors import PartwiseError
from partwise.later import api
from partwise.messages import commands as messages

SUFFIX = ".parquet"


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "index",
        help="write a collection's elements to one file",
        description="Write the elements of a collection to one Parquet file, which opens faster than the "
        "documents. A collection is a folder of .xml, .nxml, .md, .html and .txt files or of source code, a .zip, .tar "
        "or .tar.gz of such files, or JSON Lines with doc_id and one of text, xml, markdown, html.",
    )
    parser.add_argument("source", metavar="SOURCE", help="a folder, an archive, or JSON Lines")
    parser.add_argument("-o", dest="output", metavar="FILE.parquet", required=True, help="the file to write")
    parser.add_argument("--no-texts", dest="texts", action="store_false", help="leave out the text of the documents")
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        help="also store the tokens of the documents: words, a tokenizer.json file, an encoding of tiktoken, or a name "
        "that a package registers",
    )
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    if not args.output.lower().endswith(SUFFIX):
        raise PartwiseError(messages.INDEX_SUFFIX(suffix=SUFFIX), file=args.output)
    collection = opened(args.source)
    with progress_bar("indexing") as progress:
        api.write_index(collection, args.output, texts=args.texts, progress=progress, tokenizer=args.tokenizer)
    print_notes_on_reading(collection)
    print_stderr(messages.INDEXED.note(count=len(collection)))
    return 0
