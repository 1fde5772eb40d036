"""Templates as in MUC-4: a key and a response of one system.

Half of the messages are about one to four incidents, the others about none; an incident has one to four targets and up
to three perpetrators, with alternatives in the key. The system finds 70 % of the templates and gets a fifth of the
fillers wrong.
"""

from __future__ import annotations

import random
from pathlib import Path

KINDS = ("ATTACK", "BOMBING", "KIDNAPPING", "ARSON", "ROBBERY")
PLACES = ("PERU: LIMA (CITY)", "EL SALVADOR", "COLOMBIA: MEDELLIN (CITY)", "CHILE: SANTIAGO (CITY)", "GUATEMALA")
WORDS = ("GUNMEN", "SOLDIERS", "REBELS", "STUDENTS", "PRIESTS", "MAYOR", "JUDGE", "WORKERS", "POLICEMEN", "PEASANTS")
NAMES = ("DIAZ", "PEREZ", "LOPEZ", "GOMEZ", "ROJAS", "CASTRO", "VARGAS", "RIVERA", "ORTIZ", "SILVA")
TARGETS = ("BUILDING", "BRIDGE", "EMBASSY", "VEHICLES", "PYLONS", "OFFICES")
LABELS = (
    "2.  INCIDENT: DATE",
    "3.  INCIDENT: LOCATION",
    "4.  INCIDENT: TYPE",
    "5.  INCIDENT: STAGE OF EXECUTION",
    "6.  INCIDENT: INSTRUMENT ID",
    "7.  INCIDENT: INSTRUMENT TYPE",
    "8.  PERP: INCIDENT CATEGORY",
    "9.  PERP: INDIVIDUAL ID",
    "10. PERP: ORGANIZATION ID",
    "11. PERP: ORGANIZATION CONFIDENCE",
    "12. PHYS TGT: ID",
    "13. PHYS TGT: TYPE",
    "14. PHYS TGT: NUMBER",
    "15. PHYS TGT: FOREIGN NATION",
    "16. PHYS TGT: EFFECT OF INCIDENT",
    "17. PHYS TGT: TOTAL NUMBER",
    "18. HUM TGT: NAME",
    "19. HUM TGT: DESCRIPTION",
    "20. HUM TGT: TYPE",
    "21. HUM TGT: NUMBER",
    "22. HUM TGT: FOREIGN NATION",
    "23. HUM TGT: EFFECT OF INCIDENT",
    "24. HUM TGT: TOTAL NUMBER",
)
_SEED = 13

Template = dict[str, list[str]]


def write(folder: Path, *, messages: int) -> None:
    """`key.txt` and `response.txt`."""
    rng = random.Random(_SEED)
    with (folder / "key.txt").open("w") as key, (folder / "response.txt").open("w") as response:
        for number in range(messages):
            name = f"BENCH-MUC4-{number:04}"
            true = [_template(rng) for _ in range(rng.randint(1, 4))] if rng.random() < 0.5 else []
            found = [_disturbed(each, rng) for each in true if rng.random() < 0.7]
            if rng.random() < 0.2:
                found.append(_template(rng))
            key.write(_message(name, true))
            response.write(_message(name, found))


def _phrase(rng: random.Random) -> str:
    return f"{rng.choice(('', 'THE ', 'ARMED ', 'SEVERAL '))}{rng.choice(WORDS)} OF {rng.choice(NAMES)}"


def _template(rng: random.Random) -> Template:
    people = list(dict.fromkeys(f'"{rng.choice(NAMES)} {rng.choice(NAMES)}"' for _ in range(rng.randint(0, 2))))
    others = list(dict.fromkeys(f'"{_phrase(rng)}"' for _ in range(rng.randint(1, 2))))
    things = list(dict.fromkeys(f'"{rng.choice(TARGETS)}"' for _ in range(rng.randint(0, 2))))
    doers = list(dict.fromkeys(f'"{_phrase(rng)}" / "{_phrase(rng)}"' for _ in range(rng.randint(0, 2))))
    values: Template = {
        "2": [f"{rng.randint(1, 28):02} {rng.choice(('JAN', 'APR', 'NOV'))} {rng.choice((89, 90))}"],
        "3": [rng.choice(PLACES)],
        "4": [rng.choice(KINDS)],
        "5": ["ACCOMPLISHED"],
        "8": [rng.choice(("TERRORIST ACT", "STATE-SPONSORED VIOLENCE"))],
        "9": doers,
        "12": things,
        "13": [f"OTHER: {each}" for each in things],
        "14": [f"{rng.randint(1, 9)}: {each}" for each in things],
        "18": people,
        "19": others,
        "20": [f"CIVILIAN: {each}" for each in (*people, *others)],
        "21": [f"{rng.randint(1, 9)}: {each}" for each in (*people, *others)],
        "23": [f"{rng.choice(('DEATH', 'INJURY'))}: {each}" for each in (*people, *others)],
    }
    return values


def _disturbed(template: Template, rng: random.Random) -> Template:
    other = _template(rng)
    return {
        slot: (other[slot] if rng.random() < 0.2 else [each.split(" / ")[0] for each in fillers])
        for slot, fillers in template.items()
    }


def _message(name: str, templates: list[Template]) -> str:
    text = ""
    for number, template in enumerate(templates or [None], 1):
        lines = [f"{'0.  MESSAGE: ID':35}{name}", f"{'1.  MESSAGE: TEMPLATE':35}{number if template else '*'}"]
        for label in LABELS:
            fillers = (template or {}).get(label.split(".")[0]) or ["-" if template else "*"]
            lines.append(f"{label:35}{fillers[0]}")
            lines += [" " * 35 + each for each in fillers[1:]]
        text += "\n".join(lines) + "\n\n"
    return text
