"""What a name says, and whether it can be seen: nobody finds an item by what leaves no mark on a screen."""

from __future__ import annotations

from unicodedata import category

NOTHING = {"Cc", "Cf", "Zs", "Zl", "Zp"}  # white space, and what steers a terminal or has no width
# letters, marks and signs without any ink: fillers of Hangul, an empty Braille cell, joiners and variation selectors
BLANK = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
BLANK |= {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}


def as_text(word: str) -> str:
    """The text itself. Of a member of an enum that is text, too, `str` would make its name in the program."""
    return str.__str__(word)


def can_be_seen(name: str) -> bool:
    """Whether there is anything to see in it."""
    return any(category(letter) not in NOTHING and ord(letter) not in BLANK for letter in name)
