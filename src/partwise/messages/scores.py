"""Notes and summary lines of an evaluation."""

from __future__ import annotations

from partwise.messages import Counted, Message

# About a run
WITHOUT_RESULTS = Counted("S01", "{count} judged query without results", "{count} judged queries without results")
UNJUDGED = Counted("S02", "{count} query without judgements, left out", "{count} queries without judgements, left out")
REPEATED = Counted("S03", "{count} result repeats an earlier part", "{count} results repeat an earlier part")
PAST_END = Counted(
    "S04",
    "{count} part reaches past the end of its document",
    "{count} parts reach past the end of their documents",
)
INTERLEAVED = Counted(
    "S05",
    "{count} document returns parts at non-adjacent ranks; it is ranked at its first part",
    "{count} documents return parts at non-adjacent ranks; each is ranked at its first part",
)
SPLITTING = Counted(
    "S08",
    "{count} part starts or ends inside a character",
    "{count} parts start or end inside a character",
    "is this the unit of the offsets, and the text in which they were counted?",
)
NO_DOCUMENT_JUDGED = Message(
    "S06",
    "none of its documents is judged for its query",
    "do the run and the qrels use the same query and document ids?",
)
SIMILAR_IDS = Counted(
    "S51",
    "{count} result is in a document that is not judged, but one whose id differs in folder, suffix or case is",
    "{count} results are in documents that are not judged, but those whose ids differ in folder, suffix or case are",
    "do the run and the qrels use the same document ids?",
)
RANKS_REVERSED = Message(
    "S52",
    "the highest score comes first, which reverses the ranks of all results",
    "if lower scores are better, use --order rank (order='rank')",
)
ROWS_REVERSED = Message(
    "S53",
    "the highest score comes first, which reverses the order of all rows",
    "if lower scores are better, give ranks",
)
SCORES_REVERSED = Message(
    "S54",
    "rank 1 comes first, which reverses the order of all scores",
    "if higher scores are better, use --order score (order='score')",
)
RANKS_CONTRADICT = Counted(
    "S55",
    "{count} rank contradicts the scores, which give the order",
    "{count} ranks contradict the scores, which give the order",
    "--order rank (order='rank') orders by rank",
)
SCORES_CONTRADICT = Counted(
    "S56",
    "{count} score contradicts the ranks, which give the order",
    "{count} scores contradict the ranks, which give the order",
    "--order score (order='score') orders by score",
)
OTHER_DOCUMENTS = Counted(
    "S57",
    "{count} of {total} documents is another text than that of the assessments: {doc} has {length} characters here, "
    "{judged} there",
    "{count} of {total} documents are other texts than those of the assessments: {doc}, the first, has {length} "
    "characters here, {judged} there",
    "offsets may be shifted; use the same documents for both",
)
TIES = Counted(
    "S58",
    "{count} result has the score of the one before it and follows it as in the rows",
    "{count} results have the score of the one before them and follow it as in the rows",
    "trec_eval and ir_measures order such documents by their ids, as partwise does for files of TREC columns",
)
NOTHING_TO_SCORE = Message("S07", "{measure} has no query to score, so its mean is 0")
CANNOT_SCORE = Message("S09", "{measures} cannot be scored: {reason}")

_DOCUMENTS_COUNT = ", but for {measures} only documents count, each at the rank of its first part"
PARTS_AS_DOCUMENTS = Counted(
    "S41",
    "{count} result is a part of a document" + _DOCUMENTS_COUNT,
    "{count} results are parts of documents" + _DOCUMENTS_COUNT,
    "PartHit, PartRR and PartnDCG score the parts, TextP and TextR their text",
)
ONLY_AS_DOCUMENTS = Counted(
    "S42",
    "{count} result is a part of a document" + _DOCUMENTS_COUNT,
    "{count} results are parts of documents" + _DOCUMENTS_COUNT,
)
DOCUMENTS_AS_TEXT = Counted(
    "S43", "its only result is a whole document", "all {count} results are whole documents, as the run gives no places"
)
SAME_FILE = Message("S45", "{source}: is given both as assessments and as a run")
SAME_OBJECT = Message("S46", "the same object is given both as assessments and as a run")
BREAKS_RULE = Counted(
    "S44",
    "{count} case of the error {rule} ({meaning})",
    "{count} cases of the error {rule} ({meaning})",
    "partwise check shows where",
)

# A run with hardly any elements, scored by measures that count only elements
USE_PARAMETER = Counted(
    "S11",
    "{count} of {results} results in relevant documents is an element, and nothing else counts for {measures}",
    "{count} of {results} results in relevant documents are elements, and nothing else counts for {measures}",
    "write {example}",
)
USE_TEXT_MEASURES = Counted(
    "S12",
    "{count} of {results} results in relevant documents is an element, and nothing else counts for {measures}",
    "{count} of {results} results in relevant documents are elements, and nothing else counts for {measures}",
    "text measures such as iP and TextR count any text",
)
USE_PATHS = Counted(
    "S13",
    "{count} of {results} results in relevant documents is an element, and nothing else counts for {measures}",
    "{count} of {results} results in relevant documents are elements, and nothing else counts for {measures}",
    "give results as paths",
)

# About assessments
PASSAGES_PAST_END = Counted(
    "S21",
    "{count} highlighted passage reaches past the end of its document",
    "{count} highlighted passages reach past the end of their documents",
)
ESTIMATED = Counted(
    "S71",
    "the size of {count} chunk without a document is estimated in {unit}",
    "the sizes of {count} chunks without a document are estimated in {unit}",
)
WITHOUT_UNIT = Counted(
    "S70",
    "{count} highlighted passage has no {unit} and is ignored",
    "{count} highlighted passages have no {unit} and are ignored",
)
PASSAGES_SPLITTING = Counted(
    "S22",
    "{count} highlighted passage starts or ends inside a character",
    "{count} highlighted passages start or end inside a character",
    "is this the unit of the offsets, and the text in which they were counted?",
)

NOTHING_RELEVANT = Message(
    "S27", "no document is relevant for any query", "are the grades of relevant documents above 0?"
)
OTHER_ASSESSORS = Counted(
    "S28",
    "{count} of {total} queries was not judged by the assessor {assessor}, so the first who did is used",
    "{count} of {total} queries were not judged by the assessor {assessor}, so the first who did is used",
)
JUDGED_UNKNOWN = Counted(
    "S23",
    "{count} judged document is not in the collection",
    "{count} judged documents are not in the collection",
    "is this the right collection?",
)
JUDGED_UNREADABLE = Counted(
    "S26",
    "{count} document with relevant text cannot be read from the collection: {first}",
    "{count} documents with relevant text cannot be read from the collection, the first: {first}",
)
ELSEWHERE = Counted(
    "S24",
    "{count} passage quotes a text that is not at its offsets in the collection: {first}",
    "{count} passages quote texts that are not at their offsets in the collection, the first: {first}",
)
RESULTS_ELSEWHERE = Counted(
    "S25",
    "{source}: {count} result has a text that is not at its offsets in the collection: {first}",
    "{source}: {count} results have texts that are not at their offsets in the collection, the first: {first}",
)

# Summary
SCORED = Message("S31", "{count} of {judged} queries scored")
SCORED_OTHERWISE = Message("S32", "{measure} ({runs}): {count} of {judged} queries scored")
UNJUDGED_TEXT = Message("S36", "{run}{percent}% of the text in the first {depth} results is in documents nobody judged")
UNJUDGED_TEXT_OF_RUNS = Message(
    "S37",
    "{count} runs: {lowest}% to {highest}% of the text in the first {depth} results is in documents nobody judged",
)
OFFICIAL_NAMES = Message("S33", "official names: {names}")
ONLY_RELEVANT_JUDGED = Message(
    "S34", "every judged document is relevant, so judged_only hides every wrong document ({measures})"
)
SAME_ENTRY_POINTS = Message(
    "S38",
    "all {count} best entry points are {bep}, as if nobody had judged them: {measures}",
    "use a file with judged entry points, or other measures",
)
ENTRY_POINTS_OUTSIDE = Counted(
    "S39",
    "{count} best entry point is outside its document ({measures})",
    "{count} best entry points are outside their documents ({measures})",
    "is this the unit of the offsets?",
)
TOO_LONG = Message(
    "S35",
    "{number} of {passages} gold passages are too long for every result: {share} of each is more than {longest}, the "
    "size of the longest result",
    "{measures} cannot find them; match=seen({share}) adds up what several results show",
)

# Tables in papers and notebooks
MEANS_CAPTION = Counted("S72", "Means over {count} query.", "Means over {count} queries.")
VALUES_CAPTION = Counted("S73", "Values of {count} query.", "Values of {count} queries.")
SLICES_CAPTION = Message("S74", "Means by {by}.")
UNIT_CAPTION = Message("S75", "Text is counted in {unit}.")
BEST_CAPTION = Message("S76", "The best of each measure is in bold.")
MORE_ROWS = Counted("S77", "… {count} more row", "… {count} more rows")
MORE_DOCUMENTS = Counted("S81", "… {count} more judged document", "… {count} more judged documents")

# Choosing rows and columns of results
UNKNOWN_NAME = Message("S78", "there is no {what} {name}", "choose among {names}")
SEVERAL_VALUES = Message(
    "S79", "there are several values of {values} for {names}", "add another column to the index, or filter the rows"
)
NO_SUCH_KEY = Message("S80", "{key} is not a run, a run and a measure, or a run, a measure and a query")
