"""Files and YAML."""

from __future__ import annotations

from .define import error

NOT_A_FLEET = error(
    "NotAFleet",
    "No fleet/fleet.yaml was found, here or in a folder above.",
    "Without it nothing says which repository this is, and an empty checkout must never be taken for an empty fleet.",
    "Run the command in a fleet repository, or name one with --repo.",
    "modelfleet --repo ~/fleet check",
)
FILE_TOO_LARGE = error(
    "FileTooLarge",
    "A declaration file is larger than 4 MiB.",
    "A file of that size is a mistake or an attack: the largest real declarations have a hundredth of it.",
    "Split it into several files.",
    "a file of 5 MiB under models/",
)
UNREADABLE = error(
    "Unreadable",
    "A file or folder cannot be read.",
    "What it declares is unknown, and an unknown declaration must not look like a removed one.",
    "Give read permission, or remove it.",
    "chmod 000 models/search/a.yaml",
)
NOT_UTF8 = error(
    "NotUTF8",
    "A file is not UTF-8 text.",
    "Other encodings read differently on other machines.",
    "Convert the file: iconv -f LATIN1 -t UTF-8 FILE.",
    "a file saved as UTF-16 or Latin-1",
)
NOT_A_FILE = error(
    "NotAFile",
    "A directory, or something else that is no regular file, has a name ending in .yaml, .yml or .json.",
    "A file was expected there.",
    "Rename it, or put a file in its place.",
    "mkdir fleet/clusters.yaml",
)
SYMLINK = error(
    "Symlink",
    "A symbolic link stands in a declaration folder.",
    "It could lead into another team's folder, or out of the repository.",
    "Put the file itself there.",
    "ln -s ../../fleet/classes models/search/classes",
)
UNPRINTABLE = error(
    "UnprintableCharacter",
    "A control character, a hidden direction mark or a line break of old YAML stands in a file.",
    "Readers disagree on it, and a reviewer does not see it.",
    "Remove it, or write it as an escape in double quotes.",
    '"a\\u0007b"',
)
YAML_SYNTAX = error(
    "YamlSyntax",
    "The file is not valid YAML.",
    "What it declares is unknown.",
    "Mend the line that is named; the hint says what usually helps.",
    "a: [1",
)
TOO_DEEP = error(
    "TooDeep",
    "Values are nested deeper than 64 levels.",
    "No declaration needs it, and deep nesting exhausts readers.",
    "Flatten it.",
    "a: [[[[[[ ... ]]]]]]",
)
ALIAS = error(
    "Alias",
    "An anchor (&) or alias (*) is used.",
    "A few bytes can stand for gigabytes, and a reader cannot see the value.",
    "Write the value out where it is used.",
    "a: &x 1",
)
TAG = error(
    "Tag",
    "A YAML tag (!) is used.",
    "Tags make readers build objects, and readers disagree on which.",
    "Leave the tag out; quote a value that is meant as text.",
    "a: !!int '1'",
)
MERGE_KEY = error(
    "MergeKey",
    "The merge key << is used.",
    "YAML 1.2 does not know it, and it hides which value holds.",
    "Write the fields out.",
    "<<: {a: 1}",
)
DUPLICATE_KEY = error(
    "DuplicateKey",
    "A key stands twice in a mapping.",
    "Most readers silently keep the last one.",
    "Remove one of the two.",
    "a: 1\na: 2",
)
QUOTE_STRING = error(
    "QuoteString",
    "A plain word is one thing for one YAML reader and another for the next.",
    "The API server would see another value than the reviewer: `no` is text or false, `012` is 12, 10 or text, `1e3` a number or text.",
    "Quote it where text is meant; else write true, false or a plain decimal number of 64 bits.",
    "a: no",
)
