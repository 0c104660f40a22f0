"""What a name says, whether it can be seen, and told from another: nobody finds an item that leaves no mark."""

from __future__ import annotations

from unicodedata import category, normalize

NOTHING = {"Cc", "Cf", "Zs", "Zl", "Zp"}  # white space, and what steers a terminal or has no width
# letters, marks and signs without any ink: fillers of Hangul, an empty Braille cell, joiners and variation selectors
BLANK = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
BLANK |= {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}


def as_text(word: str) -> str:
    """The text itself. Of a member of an enum that is text, too, `str` would make its name in the program."""
    return str.__str__(word)


def can_be_seen(name: str) -> bool:
    """Whether there is anything to see in it."""
    return any(map(_leaves_a_mark, name))


def heard(name: str) -> str:
    """A name as people hear it: capitals, spaces, how a letter is encoded and what nobody sees make no other person."""
    letters = (letter for letter in normalize("NFKC", name) if letter.isspace() or _leaves_a_mark(letter))
    return " ".join("".join(letters).casefold().split())


def _leaves_a_mark(letter: str) -> bool:
    return category(letter) not in NOTHING and ord(letter) not in BLANK
