"""openapi.yaml, as far as the hunters look into it: which numbers clients send, and where."""

import copy
import json
import re
from pathlib import Path

import yaml

PATH = Path(__file__).parents[2] / "openapi.yaml"
METHODS = ("get", "put", "post", "delete", "patch")
DIGITS = re.compile("[0-9]+")
# An id of hexadecimal digits has many runs of digits. A range has two.
MOST_RUNS = 2


class Position:
    """
    A place in a request of one operation that holds a number.

    - place: `path`, `query`, `header` or `body`.
    - name: of the parameter; in a body, the way to the member.
    - template: the text around the number, or None if the number stands alone.
    - body: the whole body, if the place is in it.
    """

    def __init__(self, operation, place, name, template=None, body=None):
        self.operation, self.place, self.name = operation, place, name
        self.template, self.body = template, body

    def filled(self, number):
        before, after = self.template or ("", "")
        return before + number + after

    def body_with(self, number):
        """The body as text: the number may be one that no JSON writer writes."""
        body = copy.deepcopy(self.body)
        *way, last = self.name
        target = body
        for key in way:
            target = target[key]
        if self.template:
            target[last] = self.filled(number)
            return json.dumps(body)
        target[last] = "NUMBER"
        return json.dumps(body).replace('"NUMBER"', number)

    def __str__(self):
        name = "/".join(map(str, self.name)) if self.place == "body" else self.name
        return f"{self.operation.name} {self.place} {name}"


class Operation:
    def __init__(self, description, method, path, item):
        self.method, self.path = method.upper(), path
        self.node = item[method]
        self.description = description
        self.parameters = [
            description.resolved(parameter)
            for parameter in item.get("parameters", []) + self.node.get("parameters", [])]
        self.responses = {
            str(status): description.resolved(response)
            for status, response in self.node["responses"].items()}
        common = description.root["components"]["responses"]["Problem"]["x-problem-codes"]
        # An empty parameter makes another path of it.
        self.codes = {*common, *self.node.get("x-problem-codes", []), "not-found"}
        self.security = [name for entry in self.node.get("security", []) for name in entry]

    @property
    def name(self):
        return f"{self.method} {self.path}"

    def describes(self, answer):
        """Whether the operation can have the status of an answer: that of a success, or of a problem it lists."""
        if answer.status < 400:
            return str(answer.status) in self.responses
        return answer.code in self.codes

    def bodies(self):
        """Sound bodies: the examples of the description, and one made from each schema."""
        content = self.node.get("requestBody", {}).get("content", {}).get("application/json")
        if not content:
            return []
        examples = [example["value"] for example in content.get("examples", {}).values()]
        if "example" in content:
            examples.append(content["example"])
        return examples + self.description.samples(content["schema"])

    @property
    def takes_password(self):
        """Whether a sound body makes the service hash a password, which takes long."""
        return '"password"' in json.dumps(self.bodies()) or "newPassword" in str(self.bodies())

    def positions(self, live):
        """
        The places of numbers in requests of this operation.

        - live: for a parameter's name, a text that the service gave for it.
        """
        found = []
        for parameter in self.parameters:
            place, name = parameter["in"], parameter["name"]
            schema = self.description.resolved(parameter["schema"])
            if "integer" in types(schema):
                found.append(Position(self, place, name))
                continue
            text = live.get((self.name, name)) or parameter.get("example")
            if text is None or name == "session":
                continue
            found += [Position(self, place, name, template) for template in templates(str(text))]
        seen = set()
        for body in self.bodies():
            for way, template in self.description.numbers(body):
                if (key := (way, template, operation_at(way))) not in seen:
                    seen.add(key)
                    found.append(Position(self, "body", way, template, body))
        return found


class Description:
    def __init__(self, text=None):
        self.root = yaml.safe_load(text or PATH.read_text())
        self.operations = [
            Operation(self, method, path, item)
            for path, item in self.root["paths"].items() for method in METHODS if method in item]

    def resolved(self, node):
        while "$ref" in node:
            target = self.root
            for name in node["$ref"].removeprefix("#/").split("/"):
                target = target[name]
            node = target
        return node

    def operation(self, method, path):
        """The operation of a request to a path without a query; None if there is none."""
        segments = path.split("/")
        for operation in self.operations:
            pattern = operation.path.split("/")
            if operation.method == method and len(pattern) == len(segments) and all(
                    name.startswith("{") or name == segment
                    for name, segment in zip(pattern, segments)):
                return operation
        return None

    def samples(self, schema):
        """Values of a schema that have all its members, one for each of its alternatives."""
        if "type" not in schema and len(schema.get("allOf", [])) == 1:
            return self.samples(schema["allOf"][0])
        reference = schema.get("$ref", "")
        schema = self.resolved(schema)
        for keyword in ("oneOf", "anyOf"):
            if keyword in schema:
                return [sample for one in schema[keyword] for sample in self.samples(one)]
        if "const" in schema:
            return [schema["const"]]
        if "enum" in schema:
            return schema["enum"]
        kind = next((name for name in types(schema) if name != "null"), "null")
        if kind == "object":
            members = {name: self.samples(member)
                       for name, member in schema.get("properties", {}).items()}
            if schema.get("maxProperties") == 1:
                return [{name: value} for name, values in members.items() for value in values]
            return [sample for names in allowed(schema)
                    for sample in objects({name: members[name] for name in names})]
        if kind == "array":
            return [[sample] for sample in self.samples(schema.get("items", {}))]
        if kind == "string":
            return [self.example_of(reference, schema)]
        return [{"integer": 0, "number": 0, "boolean": False}.get(kind)]

    def example_of(self, reference, schema):
        """A text of a schema: its own example, or that of a parameter of the same schema."""
        if schema.get("examples"):
            return schema["examples"][0]
        for parameter in self.root["components"]["parameters"].values():
            if reference and parameter["schema"].get("$ref") == reference:
                return parameter.get("example", "x")
        return "/authors" if reference.endswith("/Link") else "x"

    def numbers(self, body, way=()):
        """The ways to the numbers in a body, and what is around them in a text."""
        if isinstance(body, dict):
            for name, member in body.items():
                yield from self.numbers(member, way + (name,))
        elif isinstance(body, list):
            for index, element in enumerate(body):
                yield from self.numbers(element, way + (index,))
        elif isinstance(body, (int, float)) and not isinstance(body, bool):
            yield way, None
        elif isinstance(body, str) and DIGITS.search(body):
            for template in templates(body):
                yield way, template


def allowed(schema):
    """The largest sets of members that an object may have together."""
    members = schema.get("properties", {})
    alternatives = [one["required"][0] for part in schema.get("allOf", []) for one in part["oneOf"]]
    for chosen in alternatives or [None]:
        names = [name for name in members if name == chosen or name not in alternatives]
        needed = schema.get("dependentRequired", {})
        yield [name for name in names if set(needed.get(name, [])) <= set(names)]


def objects(members):
    """Objects with all members, and for each further value of a member one with this value."""
    base = {name: values[0] for name, values in members.items()}
    return [base] + [base | {name: value}
                     for name, values in members.items() for value in values[1:]]


def operation_at(way):
    """The name of the operation of a batch that a way goes through; None outside of a batch."""
    return way[2] if way[0] == "operations" and len(way) > 2 else None


def types(schema):
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


def templates(text):
    """What is before and behind each of the first runs of digits; the whole text if there is none."""
    runs = list(DIGITS.finditer(text))[:MOST_RUNS]
    return [(text[:run.start()], text[run.end():]) for run in runs] or [("", "")]
