"""The commands of waypost and their options, from the output of `waypost --experimental-dump-help`."""

import json
import re


def load(file):
    """The program itself, whose subcommands are all others."""
    return json.load(file)["command"]


def leaves(command, path=""):
    """The path and the description of each command that does something."""
    path = f"{path} {command['commandName']}".strip()
    children = [child for child in command.get("subcommands", []) if child["commandName"] != "help" and child["shouldDisplay"]]
    if not children:
        yield path, command
    for child in children:
        yield from leaves(child, path)


def arguments(command, hidden=False):
    """The arguments but those that each command has, and but those that turn a flag off.
    HIDDEN: also those that --help leaves out"""
    return [argument for argument in command.get("arguments", [])
            if (argument["shouldDisplay"] or hidden) and argument.get("valueName") not in ("help", "help-hidden", "version")
            and not (argument["kind"] == "flag" and argument["preferredName"]["name"].startswith("no-"))]


def name(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def meaning(argument):
    """What an argument means without its default, and the default as text or None."""
    text = " ".join(part for part in (argument.get("abstract"), argument.get("discussion")) if part)
    text = " ".join(text.split())
    default = argument.get("defaultValue") if argument["kind"] == "option" else None
    if said := re.search(r" ?Default: ([^.]*(?:\.\w[^.]*)*)\.", text):
        text, default = text[:said.start()] + text[said.end():], said[1]
    if values := argument.get("allValues"):
        text += f" One of: {', '.join(values)}."
    return text.strip(), default
