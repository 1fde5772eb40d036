"""The rules of the tokenizer, as regular expressions over the shape of a text.

Each rule is what a token looks like and, for some, what must follow it. At every position the rule with the longest
match (including what must follow) wins, and of several the first in the list; this is how the Penn Treebank tokenizer
of Stanford decides, and much of its behaviour comes from that alone.

Nothing here may look far ahead in vain: where a rule could, `tokenizer.py` asks first whether it can succeed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_APOSTROPHE = r"(?:['\x92’]|&apos;)"
_ANY_APOSTROPHE = r"(?:['`\x91\x92‘’‛]|&apos;)"

# Letters with what stands for those outside ASCII
_LETTERS = "A-Za-zàÀ"
_DIGITS = "0-9\u0660"
_MARK = "\u0300\xad"  # a soft hyphen is part of its word as well
_ENTITY = "&[aeiouAEIOU](?:acute|grave|uml);"
_LETTER = f"(?:[{_LETTERS}{_MARK}]|{_ENTITY})"
_WORD = f"(?:[{_LETTERS}{_MARK}]|{_ENTITY})(?:[{_LETTERS}{_MARK}{_DIGITS}]++|{_ENTITY})*+"
_ALNUM = f"[{_LETTERS}{_DIGITS}]"
_HYPHEN = "[-_\u2010]"

_NUMBER = f"[-+]?(?:[{_DIGITS}]*+(?:[.:,\xad\u066b\u066c][{_DIGITS}]++)++|[{_DIGITS}]++)"
_SLASH = r"\\?/"
_INITIALS = r"[A-Za-z](?:\.[A-Za-z])+\."

_BLANK = r"\s\u200b\u200d\ufe0f"  # \s is also what stands for spaces and breaks
_NO_URL = rf'{_BLANK}"<>|(){{}}'
_PATH = rf"[^{_NO_URL}]+[^{_NO_URL}.!?,-]"

_GAP = "[ \t\xa0\u2003\r\n\x0b]"

_PHONE = (
    r"(?:\([0-9]{2,3}\)[ \xa0]?|(?:\+\+?)?(?:[0-9]{2,4}[- \xa0])?[0-9]{2,4}[- \xa0])"
    r"[0-9]{3,4}[- \xa0]?[0-9]{3,5}"
)
_FRACTION = rf"(?:[0-9]{{1,4}}[- \xa0])?[0-9]{{1,4}}(?:{_SLASH}|\u2044)[0-9]{{1,4}}"
_DATE = r"[0-9]{1,2}[-/][0-9]{1,2}[-/][0-9]{2,4}"
_CHOICE = r"[A-Za-z0-9]++(?:-[A-Za-z]++){0,2}+"
_ALTERNATIVES = rf"{_CHOICE}(?:{_SLASH}{_CHOICE}){{1,2}}+"
_FILE = (
    r"(?:[A-Za-z0-9àÀ\u0660]++\.){1,20}(?i:bat|bmp|c|class|cgi|cpp|dll|docx?|exe|gif|gz|h|html?|jar|java|jpe?g|mov|mp3"
    r"|pdf|php|pl|png|ppt|ps|py|sql|tar|txt|wav|x|xml|zip)"
)
_AFTER_FILE = rf"(?:{_GAP}|[.?!,]|\Z)"
_INSIDE = "[,;:、]"  # after these a period cannot end a sentence
_PREFIX = f"[dDoOlL]{_ANY_APOSTROPHE}{_ALNUM}"
_PARTS = f"(?:{_HYPHEN}(?:{_PREFIX}(?={_ALNUM}))?+{_ALNUM}++)"

_NOT = f"[nN]{_ANY_APOSTROPHE}[tT]"
_CLITIC = f"{_APOSTROPHE}(?:[msdMSD]|[rR][eE]|[vV][eE]|[lL][lL])"
_SHORTENED = f"{_APOSTROPHE}(?:[2-9]0[sS]|(?i:em|till?|cause|n{_APOSTROPHE}))"

_SMILEY = r"[<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]]"
_EYE = r"[-^x=~<>']"
_FACE = rf"{_EYE}_{_EYE}"
_QUOTES = "[`\x91-\x94\xab\xbb‘-‟‹›]"
_QUOTE = f"{_QUOTES}{{1,2}}|''|'"

_OPENERS = (
    r"About|According|Additionally|After|An|A|As|At|But|Earlier|He|Her|Here|However|If|In|It|Last|Many|More|Mr\.|Ms\.|Now"
    "|Once|One|Other|Our|She|Since|So|Some|Such|That|The|Their|Then|There|These|They|This|We|When|While|What|Yet|You"
)
# After an abbreviation of single letters only such words begin a sentence for sure: names follow it as well.
_OPENING = "(?:" + re.sub("([A-Z])([a-z]*)", r"\1(?i:\2)", _OPENERS) + ")"


class Rule(NamedTuple):
    """What a token looks like, and what must follow it."""

    token: str
    then: str = ""


_LETTER_RULES = (
    # Two words written as one
    Rule("(?i:can)", "(?i:not)"),
    Rule("(?i:gon)", "(?i:na)"),
    Rule("(?i:got)", "(?i:ta)"),
    Rule("(?i:lem)", "(?i:me)"),
    Rule("(?i:gim)", "(?i:me)"),
    Rule("(?i:wan)", "(?i:na)"),
    # Contractions
    Rule("[A-Za-z\xad]*?[A-MO-Za-mo-z]\xad*+", _NOT),
    Rule(_WORD, _CLITIC),
    Rule(_WORD),
    Rule(rf"{_WORD}\.", _INSIDE),
    Rule(_NOT),
    Rule(f"[yY]{_APOSTROPHE}", _LETTER),
    # Words with an apostrophe
    Rule(f"[lLdDjJ]{_APOSTROPHE}"),
    Rule(f"[A-HJ-XZn]{_ANY_APOSTROPHE}[{_LETTERS}]{{2,}}"),
    Rule(f"[{_LETTERS}]+[aeiouyAEIOUY]{_ANY_APOSTROPHE}[aeiouA-Z][{_LETTERS}]*+"),
    Rule(
        f"(?i:(?:dunkin|somethin|ol){_APOSTROPHE}|nor{_APOSTROPHE}easter|c{_APOSTROPHE}mon|e{_APOSTROPHE}er"
        f"|s{_APOSTROPHE}mores|ev{_APOSTROPHE}ry|li{_APOSTROPHE}l|nat{_APOSTROPHE}l|o{_ANY_APOSTROPHE}o|cont'd\\.)"
    ),
    # Joined by a hyphen, a slash, an ampersand, a period
    Rule(f"(?:{_PREFIX}(?={_ALNUM}))?+{_ALNUM}++{_PARTS}*+"),
    Rule(rf"(?:{_PREFIX}(?={_ALNUM}))?+{_ALNUM}++{_PARTS}*+\.", _INSIDE),
    Rule(_ALTERNATIVES),
    Rule("[A-Z]++(?:(?:&amp;|[+&])[A-Z]++)++"),
    Rule(rf"{_WORD}(?:[.!?]{_WORD})++"),
    Rule(rf"{_WORD}(?:[.!?]{_WORD})++\.", _INSIDE),
)
_NAME_RULES = (
    # Files, sites, money, programming languages; an abbreviation that reaches as far goes before these
    Rule(_FILE, _AFTER_FILE),
    Rule(rf"(?i:https?)://{_PATH}"),
    Rule(rf"[wW]{{3}}\.(?:[^{_NO_URL}.!?,]+\.)+[a-zA-Z]{{2,4}}(?:/{_PATH})?"),
    Rule(rf"(?:[a-zàÀ\u0300]{{1,64}}\.){{1,20}}(?:com|net|org|edu)(?:/{_PATH})?"),
    Rule(r"[A-Z]++\$"),
    Rule(r"[cC](?:\+\+|#)"),
    Rule(_FACE),
)

_DIGIT_RULES = (
    Rule(_DATE),
    Rule(_FRACTION),
    Rule(_NUMBER),
    Rule(_PHONE),
    Rule(f"{_ALNUM}++{_PARTS}*+"),
    Rule(rf"{_ALNUM}++{_PARTS}*+\.", _INSIDE),
    Rule(_ALTERNATIVES),
    Rule(_FILE, _AFTER_FILE),
)

# The signs with which a token begins, and its rules
_SIGN_RULES: dict[str, tuple[Rule, ...]] = {
    "'": (
        Rule("'[tT]", "(?i:is|was)"),
        Rule(_CLITIC, "(?![A-Za-z])"),
        Rule(_SHORTENED),
        Rule("'(?:[0-9]{2}|[nN])", _GAP),
        Rule(_QUOTE),
        Rule(_FACE),
    ),
    "’\x92": (Rule(_CLITIC), Rule(_SHORTENED), Rule("[’\x92][nN]"), Rule("[’\x92][0-9]{2}", _GAP), Rule(_QUOTE)),
    "`\x91\x93\x94\xab\xbb‘‚‛“”„‟‹›": (Rule(_QUOTE),),
    "<": (Rule("<<"), Rule(_SMILEY, "[^A-Za-z0-9]"), Rule(_FACE)),
    ">": (Rule(">>"), Rule(_SMILEY, "[^A-Za-z0-9]"), Rule(_FACE)),
    ":": (Rule(_SMILEY, "[^A-Za-z0-9]"), Rule(_NUMBER)),
    ";": (Rule(_SMILEY, "[^A-Za-z0-9]"),),
    "=": (Rule(_SMILEY, "[^A-Za-z0-9]"), Rule(_FACE)),
    "(": (Rule(rf"\({_EYE}[._]?{_EYE}\)"), Rule(_PHONE)),
    "^": (Rule(_FACE),),
    "~": (Rule(_FACE),),
    "-": (Rule("-++"), Rule(_NUMBER), Rule("-(?i:[lr][rsc]b)-"), Rule(_FACE)),
    "+": (Rule(_NUMBER), Rule(_PHONE)),
    ".": (Rule(r"\.{3,5}+"), Rule(r"\.(?:[ \xa0]\.){2,4}+"), Rule(_NUMBER)),
    ",": (Rule(_NUMBER),),
    "&": (
        Rule("&(?i:amp|lt|gt|quot|apos|mdash|ndash|md);"),
        Rule("&#[0-9]+;"),
        Rule(_WORD),
        Rule(_CLITIC),
        Rule(_SHORTENED),
        Rule("&apos;[nN]"),
        Rule("&apos;[0-9]{2}", _GAP),
    ),
    "@": (Rule("@[A-Za-z_][A-Za-z0-9_]*+"), Rule("@++")),
    "#": (Rule(f"#{_LETTER}++"), Rule("#++")),
    "*": (Rule("\\*++"),),
    "\\": (Rule("\\\\\\*"),),
    "_": (Rule("_++"),),
    "!?": (Rule("[!?]++"),),
    "☺§": (Rule("[☺§](?:\u200d[☺§]|[☻\ufe0f])++"),),  # a picture with its modifiers
    "⚑": (Rule("⚑⚑"),),  # two letters make a flag
    "²": (Rule("²++"),),
    "₂": (Rule("₂++"),),
    "\u207a\u207b": (Rule("[\u207a\u207b]²++"),),
    "\u208a\u208b": (Rule("[\u208a\u208b]₂++"),),
    "\u066b\u066c": (Rule(_NUMBER),),
}


def _compiled(rules: tuple[Rule, ...]) -> re.Pattern[str]:
    """One expression that tries them all: for rule k, group 2k-1 is the token and group 2k ends what must follow."""
    return re.compile("".join(f"(?:(?=({rule.token}){rule.then}())|)" for rule in rules))


LETTER_RULES, DIGIT_RULES = _compiled(_LETTER_RULES + _NAME_RULES), _compiled(_DIGIT_RULES)
NAMES = 2 * len(_LETTER_RULES)  # the groups of names come after this one
SIGN_RULES = {
    sign: pattern for signs, rules in _SIGN_RULES.items() for pattern in (_compiled(rules),) for sign in signs
}

BLANK = f"(?:[{_BLANK}]++|&nbsp;)*+"
_MOUTH = r"[-o*'()DPdpO\\{@|\[\]"  # what may follow the eyes of a smiley
PLAIN = (
    r"[A-Za-z]++(?=[\s)]|,\s)"  # a word before a blank
    rf"|[)\]\}}{{\[|%\"$/]|''|{_QUOTES}{{2}}|<<|>>|<(?=\s)"
    r"|\((?![-0-9^x=~<>'])|\\(?!\*)|,(?![0-9\u0660])|[\^~](?!_)|&(?![A-Za-z#])|\.(?![.0-9\u0660 \xa0])"
    rf"|[:;](?!{_MOUTH}0-9\u0660])|=(?!{_MOUTH}_])|[\x80\x85\x96\x97…]|[§☺](?![☻\u200d\ufe0f])"
)
"""Tokens that need no second look: no rule could reach farther."""

GAP = re.compile(_GAP)
GAPS = re.compile(f"{_GAP}*+")
ONE_GAP = re.compile(f"\r\n|{_GAP}")
OPENING = re.compile(_OPENING + _GAP)
INITIALS = re.compile(r"[A-Za-z](?:\.[A-Za-z])*+\.")
UPPER_CASE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZÀ")
SIMPLE = re.compile(r"[A-Za-z]++(?=[;\"(\[\]{}<>|=*%^~,])")
"""A word before a sign that joins nothing; but for mail addresses and lists with hyphens it ends there."""

ABBREVIATED = re.compile(r"((?i:(?:ph|ed)\.d)|[A-Za-z]++)\.")

_NAME = "[A-Za-z][A-Za-z0-9_:.-]*+"
ELEMENT = re.compile(f"</?{_NAME}(?> +{_NAME}(?> *= *(?:\"[^\"]*+\"|'[^']*+'))?)*+ *+/?+ *+>")
"""A tag with quoted attributes."""

DECLARED = re.compile("<[!?][A-Za-z-]")
"""The beginning of a declaration, a comment or an instruction."""

TO_BRACKET = re.compile(r"[^>\r\n]*+")
"""And how it goes on."""

DOTTED = re.compile(r"[A-Za-z0-9.,\xad]*+")
"""The first part of U.S.-led; such a run without a hyphen after it must not be tried again at each of its tokens."""

DOTTED_PARTS = re.compile(rf"(?:-(?:{_INITIALS}|[A-Za-z0-9\xad]++))++(?:\.(?={_INSIDE}))?")
"""And how it goes on."""

_ADDRESS = rf'[^{_BLANK}"<>|(){{}}.]'
ADDRESS_RUN = re.compile(rf'[^{_BLANK}"<>|(){{}}]*+')
AT = re.compile(f"@(?={_ADDRESS})")
DOMAIN = re.compile(rf"(?:{_ADDRESS}++\.(?={_ADDRESS}))*+{_ADDRESS}++(?:&gt;|>)?")
