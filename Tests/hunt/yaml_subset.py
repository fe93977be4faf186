"""Reads the part of YAML that openapi.yaml is written in, as the standard library has no reader.

Block and flow collections, quoted, plain and block scalars, anchors and aliases. Anything else is
refused with the number of its line.
"""

import re

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\", "/": "/"}
KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#&*{\[\]}"'|>-][^#]*?):(?:\s+|$)""")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?$")
CONSTANTS = {"": None, "~": None, "null": None, "true": True, "false": False}


class YAMLError(Exception):
    """The text is not YAML, or uses more of it than is read here."""


def load(text):
    """Returns the document as dictionaries, lists, texts, numbers, booleans and None."""
    return Reader(text).document()


def scalar(text):
    if text in CONSTANTS:
        return CONSTANTS[text]
    if match := NUMBER.match(text):
        return float(text) if match[2] else int(text)
    return text


class Reader:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.number = 0
        self.anchors = {}

    def fail(self, reason):
        raise YAMLError(f"line {self.number + 1}: {reason}")

    # MARK: Lines

    def skip_blanks(self):
        while self.number < len(self.lines):
            line = self.lines[self.number].strip()
            if line and not line.startswith("#"):
                return
            self.number += 1

    def indentation(self):
        """The indentation of the next line with content, or -1 at the end."""
        self.skip_blanks()
        if self.number == len(self.lines):
            return -1
        line = self.lines[self.number]
        return len(line) - len(line.lstrip(" "))

    def document(self):
        value = self.block(self.indentation())
        if self.indentation() >= 0:
            self.fail("the document should end here")
        return value

    # MARK: Blocks

    def block(self, indentation):
        line = self.lines[self.number][indentation:]
        if line.startswith("- ") or line == "-":
            return self.sequence(indentation)
        if KEY.match(line):
            return self.mapping(indentation)
        return self.value(line, indentation - 1)

    def sequence(self, indentation):
        items = []
        while self.indentation() == indentation:
            line = self.lines[self.number]
            if not (line[indentation:].startswith("- ") or line[indentation:] == "-"):
                break
            content = line[indentation + 1:]
            rest = content.lstrip(" ")
            inner = len(line) - len(rest)
            if rest and KEY.match(rest) and rest[0] not in "{[":
                # A mapping starts behind the dash: the dash counts as a blank.
                self.lines[self.number] = " " * inner + rest
                items.append(self.mapping(inner))
            else:
                items.append(self.value(rest, indentation))
        return items

    def mapping(self, indentation):
        members = {}
        while self.indentation() == indentation:
            line = self.lines[self.number][indentation:]
            match = KEY.match(line)
            if not match:
                self.fail(f"expected a key: {line[:40]}")
            key = self.quoted(match[1])[0] if match[1][0] in "\"'" else scalar(match[1])
            if key in members:
                self.fail(f"the key {key} is there twice")
            members[key] = self.value(line[match.end():], indentation)
        return members

    def value(self, text, indentation):
        """Reads a value that starts with `text`, in a line of a block at `indentation`."""
        text = text.strip()
        anchor = None
        if match := re.match(r"&(\w+)\s*", text):
            anchor, text = match[1], text[match.end():]
        if not text or text.startswith("#"):
            self.number += 1
            inner = self.indentation()
            is_sequence = inner == indentation and self.lines[self.number][inner:].startswith("-")
            value = self.block(inner) if inner > indentation or is_sequence else None
        elif match := re.match(r"\*(\w+)$", text):
            self.number += 1
            value = self.anchors[match[1]]
        elif match := re.match(r"([|>])([+-]?)\s*$", text):
            value = self.block_scalar(match[1], match[2], indentation)
        elif text[0] in "{[\"'":
            value = self.flow(text)
        else:
            value = self.plain(text, indentation)
        if anchor:
            self.anchors[anchor] = value
        return value

    def plain(self, text, indentation):
        parts = [re.split(r"\s#", text)[0].strip()]
        self.number += 1
        while self.indentation() > indentation:
            parts.append(self.lines[self.number].strip())
            self.number += 1
        return scalar(" ".join(parts))

    def block_scalar(self, style, chomping, indentation):
        self.number += 1
        lines = []
        inner = None
        while self.number < len(self.lines):
            line = self.lines[self.number]
            blanks = len(line) - len(line.lstrip(" "))
            if line.strip():
                if blanks <= indentation:
                    break
                inner = inner or blanks
            lines.append(line[inner or 0:])
            self.number += 1
        text = "\n".join(lines).rstrip("\n")
        if style == ">":
            text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
        return text + ("" if chomping == "-" else "\n")

    # MARK: Flow collections and quoted scalars

    def flow(self, text):
        """Reads a value in brackets or quotes, which may go on in the next lines."""
        while True:
            try:
                value, rest = self.flow_value(text)
            except IndexError:
                self.number += 1
                if self.number == len(self.lines):
                    self.fail("a bracket or a quote is not closed")
                text += " " + self.lines[self.number].strip()
                continue
            if rest.strip() and not rest.strip().startswith("#"):
                self.fail(f"unexpected: {rest[:40]}")
            self.number += 1
            return value

    def flow_value(self, text):
        """Returns a value and the text behind it. Raises IndexError if the text ends before it."""
        text = text.lstrip()
        if text[0] == "[":
            return self.flow_items(text[1:], "]", [])
        if text[0] == "{":
            items, rest = self.flow_items(text[1:], "}", [])
            return dict(items), rest
        if text[0] in "\"'":
            return self.quoted(text)
        match = re.match(r"(?:[^,:{}\[\]#]|:(?=\S)|#)*", text)
        if match.end() == len(text):
            raise IndexError
        return scalar(match[0].strip()), text[match.end():]

    def flow_items(self, text, end, items):
        while True:
            text = text.lstrip()
            if text[0] == end:
                return items, text[1:]
            value, text = self.flow_value(text)
            text = text.lstrip()
            if end == "}":
                if text[0] != ":":
                    self.fail("expected a colon")
                member, text = self.flow_value(text[1:])
                value = (value, member)
            items.append(value)
            text = text.lstrip()
            if text[0] == ",":
                text = text[1:]
            elif text[0] != end:
                self.fail(f"expected , or {end}: {text[:40]}")

    def quoted(self, text):
        quote, result, index = text[0], "", 1
        while True:
            character = text[index]
            if character == quote:
                if quote == "'" and text[index + 1:index + 2] == "'":
                    result, index = result + "'", index + 2
                    continue
                return result, text[index + 1:]
            if character == "\\" and quote == '"':
                escape = text[index + 1]
                if escape in "xu":
                    size = 2 if escape == "x" else 4
                    result += chr(int(text[index + 2:index + 2 + size], 16))
                    index += size
                elif escape in ESCAPES:
                    result += ESCAPES[escape]
                else:
                    self.fail(f"unknown escape: \\{escape}")
                index += 2
                continue
            result, index = result + character, index + 1
