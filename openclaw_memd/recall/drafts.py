"""From candidate chunks to scored passages: the answer before anything is left out of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import prod

from openclaw_memd.domain.diversity import Terms
from openclaw_memd.domain.matching import AnalysedText, match_texts
from openclaw_memd.domain.passages import Passage, Stretch, pick_passages, smooth
from openclaw_memd.index.rows import ChunkRow
from openclaw_memd.recall.candidates import Candidates
from openclaw_memd.recall.chunk_scores import ChunkVectors, Conditions, ScoredChunk, score_chunk
from openclaw_memd.recall.query import Query, rank_path, weigh_terms
from openclaw_memd.recall.stretches import Joined, join_chunks


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage that may become a hit.

    ``best`` is the place of its best line, ``best_terms`` are that line's words and ``term_lines`` those of
    all lines. ``edges`` tells whether its first and its last line are parts of longer lines. ``path_rank``
    says how exactly the query names the file; ``exact`` that the passage has every term or what the query
    names; ``complete`` that it is the best one of a chunk with every term; ``worded`` that it has any. What
    is superseded or expired ``is_over``.
    """

    row: ChunkRow
    start_line: int
    lines: tuple[str, ...]
    best: int
    edges: tuple[bool, bool]
    best_terms: Terms
    term_lines: tuple[str, ...]
    score: float
    vector_score: float | None
    text_score: float | None
    factors: Mapping[str, float]
    path_rank: int
    exact: bool
    complete: bool
    worded: bool
    is_over: bool

    @property
    def text(self) -> str:
        """The passage's lines."""
        return "\n".join(self.lines)

    @property
    def end_line(self) -> int:
        """The number of its last line."""
        return self.start_line + len(self.lines) - 1

    @property
    def ageless_score(self) -> float:
        """The score that it would have if it were noted today."""
        return self.score / self.factors["recency"]

    def with_lines(self, start_line: int, lines: Sequence[str], best: int) -> "Draft":
        """The same passage in whole lines."""
        return replace(self, start_line=start_line, lines=tuple(lines), best=best, edges=(False, False))


class Drafter:
    """Drafts passages for one query.

    ``pause`` is called between chunks; what it raises ends the work.
    """

    def __init__(
        self,
        query: Query,
        conditions: Conditions,
        *,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self._query = query
        self._conditions = conditions
        self.pause = pause

    def draft(self, candidates: Candidates, vectors: Mapping[bytes, ChunkVectors], limit: int) -> list[Draft]:
        """The best ``limit`` passages of the candidates, by falling score. ``vectors`` are by text hash."""
        chunks = self._score(candidates, vectors)
        places = join_chunks(chunks)
        answers = [chunk.answers() for chunk in chunks]
        stretches = [
            Stretch(
                place.start_line,
                place.lines,
                smooth(place.scores),
                [answers[owner][line] for owner, line in place.owners],
            )
            for place in places
        ]
        named = [index for index, term in enumerate(candidates.terms) if term.kind == "identifier"]
        drafted: set[int] = set()
        drafts = []
        for passage in islice(pick_passages(stretches), limit):
            place = places[passage.stretch]
            owner, _ = place.owners[passage.best]
            drafts.append(self._draft(passage, place, chunks, named, is_first=owner not in drafted))
            drafted.add(owner)
        return drafts

    def _score(self, candidates: Candidates, vectors: Mapping[bytes, ChunkVectors]) -> list[ScoredChunk]:
        rows = candidates.rows
        texts = [AnalysedText(row.text.split("\n"), row.terms.split("\n"), row.context) for row in rows]
        matches = match_texts(texts, weigh_terms(candidates.terms, candidates.statistics))
        scored = []
        for row, text, match in zip(rows, texts, matches, strict=True):
            self.pause()
            scored.append(score_chunk(row, text, match, vectors.get(row.text_hash), self._conditions))
        return scored

    def _draft(
        self,
        passage: Passage,
        place: Joined,
        chunks: Sequence[ScoredChunk],
        named: Sequence[int],
        *,
        is_first: bool,
    ) -> Draft:
        owner, line = place.owners[passage.best]
        chunk = chunks[owner]
        shift = passage.best - line  # from the chunk's lines to the stretch's
        first, stop = passage.first - shift, passage.stop - shift
        path_rank = rank_path(self._query.name, chunk.row.path) if is_first else 0
        return Draft(
            row=chunk.row,
            start_line=place.start_line + passage.first,
            lines=tuple(place.lines[passage.first : passage.stop]),
            best=passage.best - passage.first,
            edges=(
                place.cut_start and passage.first == 0,
                place.cut_end and passage.stop == len(place.lines),
            ),
            best_terms=frozenset(chunk.text.term_lines[line].split()),
            term_lines=tuple(
                chunks[one].text.term_lines[there]
                for one, there in place.owners[passage.first : passage.stop]
            ),
            score=min(1.0, passage.score),
            vector_score=None if chunk.vectors is None else chunk.vectors[line],
            text_score=chunk.texts[line] if chunk.match.matches else None,
            factors={"passage": passage.score / prod(chunk.factors.values()), **chunk.factors},
            path_rank=path_rank,
            exact=path_rank > 0
            or (chunk.match.has_all and chunk.match.holds_all(first, stop))
            or any(chunk.match.holds(term, first, stop) for term in named),
            complete=is_first and chunk.match.has_all,
            worded=not chunk.match.lines.isdisjoint(range(first, stop)),
            is_over=self._conditions.is_over(chunk.row),
        )
