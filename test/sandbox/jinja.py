"""Jinja2's own answers: reads {context, expressions, templates} as JSON, writes a list of {value, text} or {error}."""

import json
import sys

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

given = json.load(sys.stdin)
environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)


def answer(expression):
    try:
        kept = []
        environment.globals["keep"] = lambda value: kept.append(value) or ""
        environment.from_string("{{ keep(" + expression + ") }}").render(**given["context"])
        value = kept[0]
        text = environment.from_string("{{ " + expression + " }}").render(**given["context"])
        if isinstance(value, StrictUndefined):
            str(value)
        if not isinstance(value, (str, int, float, bool, list, tuple, dict, type(None))):
            # views and generators: what they hold
            value = list(value)
            text = None
        return {"value": json.loads(json.dumps(value)), "text": text}
    except Exception as error:
        return {"error": type(error).__name__ + ": " + str(error)}


def rendered(template):
    try:
        text = environment.from_string(template).render(**given["context"])
        return {"value": None, "text": text}
    except Exception as error:
        return {"error": type(error).__name__ + ": " + str(error)}


answers = [answer(expression) for expression in given["expressions"]]
json.dump(answers + [rendered(template) for template in given["templates"]], sys.stdout)
