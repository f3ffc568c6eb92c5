"""What fits into a context window? Three ways to cut the demo's articles, with budgets in tokens.

`pack=True` takes whole chunks only, so that long and short chunks compete. Usage: python examples/token_budgets.py
"""

from retrieval import words
from tables import table

import partwise as pw

BUDGETS = (200, 400, 800, 1600)
Chunk = tuple[str, int, int]


def windows(article: pw.Document, size: int) -> list[Chunk]:
    return [(article.doc_id, at, min(at + size, article.length)) for at in range(0, article.length, size)]


def paragraphs(article: pw.Document) -> list[Chunk]:
    spans = zip(article.tag, article.start.tolist(), article.end.tolist(), strict=True)
    return [(article.doc_id, start, end) for tag, start, end in spans if tag == "p"]


def ranked(query: str, chunks: list[Chunk], texts: dict[str, str]) -> list[Chunk]:
    """The chunks with most words of the query for their length; equal ones by document and offset."""
    asked = set(words(query))

    def worth(chunk: Chunk) -> float:
        terms = words(texts[chunk[0]][chunk[1] : chunk[2]])
        return len(asked.intersection(terms)) / max(len(terms), 30) ** 0.5

    return sorted(chunks, key=lambda chunk: (-worth(chunk), chunk))[:50]


def main(tokenizer: str = "words") -> pw.Scores:
    demo = pw.demo()
    articles = [demo.collection[doc] for doc in demo.collection]
    texts = {article.doc_id: article.text or "" for article in articles}
    cuts = {"paragraphs": [chunk for article in articles for chunk in paragraphs(article)]}
    cuts |= {f"windows-{size}": [chunk for one in articles for chunk in windows(one, size)] for size in (400, 1600)}
    asked = {query: about["title"] for query, about in demo.queries.items()}
    runs = {name: {query: ranked(asked[query], cut, texts) for query in asked} for name, cut in cuts.items()}
    measures = [f"TextR(budget={budget},pack=True)" for budget in BUDGETS]
    return pw.evaluate(demo.qrels, runs, measures, collection=demo.collection, unit="tokens", tokenizer=tokenizer)


if __name__ == "__main__":
    found = [[name, *means.values()] for name, means in main().mean().items()]
    table("Relevant text in whole chunks, by budget in tokens", ["chunker", *map(str, BUDGETS)], found)
