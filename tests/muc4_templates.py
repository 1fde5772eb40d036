"""Templates of MUC-4 for tests, written as they stand in files."""

from adjudge.formats.muc4_slots import muc4_slots


def template(message, number="1", **fillers):
    """One template; `inc_type="BOMBING"` fills the slot inc-type, a list gives several fillers."""
    slots = muc4_slots()
    lines = [f"{slots.message.label:35}{message}", f"{slots.template.label:35}{number}"]
    given = {name.replace("_", "-"): value for name, value in fillers.items()}
    assert set(given) <= {slot.id for slot in slots.scored}
    for slot in slots.scored:
        value = given.get(slot.id, "*" if number == "*" else "-")
        first, *others = value if isinstance(value, list) else [value]
        lines.append(f"{slot.label:35}{first}")
        lines += [" " * 35 + other for other in others]
    return "\n".join(lines) + "\n\n"


def file(*templates):
    """The bytes of a file of templates."""
    return "".join(templates).encode()
