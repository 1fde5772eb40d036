"""The bundled campaign of knowledge bases is sound, and shows every step at which a path can be lost."""

import pytest

from adjudge.cli import run
from adjudge.demo.kbp import GOLD, LINKS, SYSTEMS
from adjudge.formats.kb_documents import read_kb_documents
from adjudge.tasks.kbp.explain import explain
from adjudge.tasks.kbp.inputs import read_inputs
from adjudge.tasks.kbp.scoring import score


@pytest.mark.parametrize("path", [GOLD, *SYSTEMS.values()], ids=lambda path: path.stem)
def test_the_validator_finds_no_errors(path, capsys):
    assert run(["kbp", "validate", str(path)]) == 0
    assert " 0 errors, " in capsys.readouterr().out.splitlines()[-1]


def test_mentions_are_text():
    documents = {document.id: document for document in read_kb_documents(GOLD).documents}
    assert len(documents) == 10
    inputs = read_inputs(str(GOLD), [str(path) for path in SYSTEMS.values()], wiki=str(LINKS))
    assert inputs.notes == []
    entities = [entity for document in documents.values() for entity in document.entities]
    entities += [entity for system in inputs.systems for entity in system.kb.entities]
    for entity in entities:
        for mention in entity.mentions:
            assert documents[mention.document].text[mention.start : mention.end] == mention.text
    facts = [fact for document in documents.values() for fact in document.facts]
    for fact in [*facts, *(fact for system in inputs.systems for fact in system.kb.facts)]:
        (span,) = fact.provenance.justification
        assert 0 <= span.start < span.end <= len(documents[fact.document].text)


def test_every_step_is_shown():
    found = explain(str(GOLD), [str(path) for path in SYSTEMS.values()], wiki=str(LINKS))
    for fate in ("missed", "wrong"):
        reasons = {
            loss.reason for system in found for fall in system.waterfalls for loss in fall.losses(fate) if loss.paths
        }
        assert reasons == {
            "mention-not-found",
            "not-aligned",
            "linked-elsewhere",
            "relation-missing",
            "relation-type",
            "middle-entity",
        }


def test_the_systems_differ():
    result = score(str(GOLD), [str(path) for path in SYSTEMS.values()], wiki=str(LINKS), bootstrap=0)
    f1 = [float(system["kbp.hop1"].f1) for system in result.systems]
    assert f1[0] - f1[1] > 0.1 < f1[1] - f1[2]
    # Two nodes for one entity cost the systems nothing until their own nodes are joined.
    options = {"wiki": str(LINKS), "bootstrap": 0, "identity_source": "system"}
    delta = score(str(GOLD), [str(SYSTEMS["delta"])], **options)
    assert delta["kbp.hop2.system"].recall < delta["kbp.hop2"].recall
