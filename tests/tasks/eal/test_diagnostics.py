"""Genres, slices of classes, other taxonomies, and what does not matter any more."""

import pytest

from adjudge.errors import FormatError, UsageError
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.tasks.eal.diagnostics import genre_of, read_genres
from adjudge.tasks.eal.settings import Settings
from adjudge.tasks.eal.settings import settings as choose
from eal_keys import compare_values, counted

RIGHT = Assessment("C", "C", "C", "C", "Actual", "NAME")
WRONG = Assessment("W")


def filler(text, type_="Life.Die", role="Entity", realis="Actual", at=0, base=None):
    span = Span(at, at + len(text) - 1)
    return Response("d", type_, role, Cas(text, span), base or span, (Span(0, 99),), (), realis)


def linked(*groups):
    return Linking("d", [Frame(frozenset(group)) for group in groups])


def scored(system, assessed, chosen, *, frames=(), own=None, coref=None):
    numbers = coref or {response.cas: n for n, response in enumerate(assessed)}
    mine = linked(*own) if own is not None else linked(*([each] for each in system if each.realis != "Generic"))
    arguments = Arguments("d", [Argument(each, 0.5) for each in system])
    return compare_values(arguments, mine, AnswerKey("d", assessed, (), numbers), linked(*frames), chosen)


def counts(found):
    tp, system, gold, _ = found.row[:4]
    return tp, system - tp, gold - tp


def test_collapsed_taxonomy():
    meet, write = filler("Bob", "Contact.Meet"), filler("Bob", "Contact.Correspondence")
    made = filler("cars", "Manufacture.Artifact", "Artifact", at=20)
    moved = filler("Ann", "Movement.Transport-Person", "Person", at=40)
    assessed = {meet: WRONG, write: RIGHT, made: RIGHT, moved: RIGHT}
    chosen = choose(taxonomy="collapsed")
    coref = {meet.cas: 1, made.cas: 2, moved.cas: 3}
    frames = [[write], [made], [moved]]
    found = scored([meet, made, moved], assessed, chosen, frames=frames, coref=coref)
    # Meet and Correspondence are one response now, and it is right; nobody manufactures anything.
    assert counts(found) == (2, 0, 0)
    assert found.removed == {"not-in-taxonomy": 1}
    assert (found.observed.links.f, found.observed.links.size) == (2.0, 2)
    assert counts(scored([meet, made, moved], assessed, Settings(), frames=frames, coref=coref)) == (2, 1, 1)
    # Two subtypes of the system are one class: only the better one counts.
    both = scored([meet, write], assessed, chosen, frames=frames, coref=coref)
    assert counts(both) == (1, 0, 1)
    assert both.removed == {"merged": 1}


def test_type_lax_forgives_the_subtype_of_contact_and_transaction():
    meet, write = filler("Bob", "Contact.Meet", base=Span(50, 52)), filler("Bob", "Contact.Correspondence")
    ann = filler("Ann", "Contact.Meet", at=20)
    assessed = {meet: WRONG, write: RIGHT, ann: WRONG}
    coref = {meet.cas: 1, ann.cas: 2}
    frames = [[write]]
    assert counts(scored([meet, ann], assessed, Settings(), frames=frames, coref=coref)) == (0, 2, 1)
    found = scored([meet, ann], assessed, choose(taxonomy="type-lax"), frames=frames, coref=coref)
    assert counts(found) == (1, 1, 0)  # Bob is right whatever the subtype, Ann is not
    assert found.observed.links.f == 1.0
    # Other types and other mistakes are not forgiven.
    die, hurt = filler("Bob", "Justice.Fine", base=Span(50, 52)), filler("Bob", "Justice.Sue")
    other = scored([die], {die: WRONG, hurt: RIGHT}, choose(taxonomy="type-lax"), frames=[[hurt]], coref=coref)
    assert counts(other) == (0, 1, 1)
    role = {meet: Assessment("C", "W"), write: RIGHT}
    assert counts(scored([meet], role, choose(taxonomy="type-lax"), frames=[[write]], coref=coref)) == (0, 1, 1)


def test_neutral_realis():
    bob, said = filler("Bob"), filler("Bob", realis="Other")
    generic = filler("Ann", realis="Generic", at=20)
    assessed = {bob: RIGHT, said: RIGHT, generic: RIGHT._replace(realis="Generic")}
    plain = scored([said, generic], assessed, Settings(), frames=[[bob]])
    assert counts(plain) == (1, 1, 1)
    neutral = scored([said, generic], assessed, choose(neutralize="realis"), frames=[[bob]])
    assert counts(neutral) == (2, 0, 0)
    # In the official program generic responses vanish, because they are in no frame.
    official = scored([said, generic], assessed, choose("bbn-2015", neutralize="realis"), frames=[[bob]])
    assert counts(official) == (1, 0, 1)
    assert official.removed == {"unlinked": 1}


def test_neutral_coreference():
    name, pronoun = filler("Bob", base=Span(9, 10)), filler("he", at=9)
    other = filler("it", "Life.Injure", at=70)
    half = RIGHT._replace(cas="W")
    assessed = {name: RIGHT, pronoun: half, other: half}
    coref = {name.cas: 1, pronoun.cas: 2, other.cas: 3}
    assert counts(scored([pronoun, other], assessed, choose(neutralize="realis"), frames=[[name]], coref=coref)) == (
        0,
        2,
        1,
    )
    found = scored([pronoun, other], assessed, choose(neutralize="coref"), frames=[[name]], coref=coref)
    assert counts(found) == (1, 0, 0)
    assert found.removed == {"no-correct-cas": 1}
    assert found.system.changed == {"coref-neutralised": 1}
    assert found.observed.links.f == 1.0


def test_alternatives_see_what_the_link_score_does_not():
    a, b, wrong = (filler(name, at=10 * n) for n, name in enumerate("abw"))
    assessed = {a: RIGHT, b: RIGHT, wrong: WRONG}
    chosen = choose(extras=["b3", "ceaf", "blanc", "f"])
    clean = scored([a, b, wrong], assessed, chosen, frames=[[a, b]], own=[[a, b], [wrong]])
    mixed = scored([a, b, wrong], assessed, chosen, frames=[[a, b]], own=[[a, b, wrong]])
    assert clean.observed.links == mixed.observed.links
    from adjudge.tasks.eal.measures import columns

    def column(found, name):
        return found.row[columns(chosen).index(name)]

    assert column(clean, "eal.linking.b3:precision") == 2.0
    assert column(mixed, "eal.linking.b3:precision") == pytest.approx(4 / 3)
    assert column(clean, "eal.linking.ceafm:common") == column(mixed, "eal.linking.ceafm:common") == 2.0
    assert column(clean, "eal.linking.ceafm:system") == column(mixed, "eal.linking.ceafm:system") == 3.0
    assert column(mixed, "eal.linking.blanc:links-system") == 3.0
    # A class that only a wrong response supports in its frame is spurious there.
    again = a._replace(base_filler=Span(90, 91))
    split = scored(
        [a, b, again],
        {**assessed, again: WRONG},
        chosen,
        frames=[[a, b]],
        own=[[a], [again, b]],
        coref={r.cas: n for n, r in enumerate((a, b, wrong))},
    )
    assert column(split, "eal.linking.b3:system") == 3.0


def test_genres_by_prefix():
    assert [genre_of(name) for name in ("CNN_IP_1", "CNN_1", "CNNHL1", "marcellapr_1", "APW_ENG_1", "fsh_1", "x")] == [
        "broadcast-conversation",
        "broadcast-news",
        "broadcast-news",
        "forum",
        "newswire",
        "speech",
        "unknown",
    ]
    assert [genre_of(name) for name in ("ENG_NW_001278", "ENG_DF_000170")] == ["newswire", "forum"]


def test_genre_list(tmp_path):
    path = tmp_path / "genres"
    path.write_text("# documents\nd1\tnewswire\n\nd2\tforum\n")
    assert read_genres(str(path)) == {"d1": "newswire", "d2": "forum"}
    path.write_text("d1 newswire\nd2\tforum\nd2\tnewswire\n")
    with pytest.raises(FormatError) as caught:
        read_genres(str(path))
    assert [problem.line for problem in caught.value.problems] == [1, 3]
    with pytest.raises(UsageError, match="cannot be read"):
        read_genres(str(tmp_path / "none"))


CORPUS_SLICES = ("type", "role", "genre")


def test_slices_add_up(request):
    """True and false positives and misses of all types, and of all roles, are those of the corpus."""
    from pathlib import Path

    corpus = Path(__file__).parents[2] / "golden" / "eal" / "corpusA"
    chosen = choose("bbn-2015")
    genres = {f"DOC{n:02d}": "forum" if n % 2 else "newswire" for n in range(12)}
    sides = corpus / "key", corpus / "ref", {"S0": corpus / "systems" / "S0"}, chosen
    result = counted(*sides, by=CORPUS_SLICES, listed=genres, bootstrap=0).result()
    for field in CORPUS_SLICES:
        for part in ("tp", "fp", "fn"):
            parts = [
                score.value
                for score in result.systems[0].scores
                if (score.metric, score.part) == ("eal.argument", part) and list(score.slice) == [field]
            ]
            assert sum(parts) == result["eal.argument"][part]
    only = counted(*sides, listed=genres, genre="forum", bootstrap=0)
    assert list(only.ids) == [document for document, genre in genres.items() if genre == "forum"]
    forum = only.result()["eal.overall"].score
    assert forum == result["eal.overall"].where(genre="forum").score
    with pytest.raises(UsageError, match="no document is broadcast"):
        counted(*sides, genre="broadcast")
