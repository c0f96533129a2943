"""What the engine reads in each YAML text of a JSON list, with the kind of every value, as a JSON list."""

import json
import math
import sys

import yaml
from ansible._internal._datatag._tags import Origin, TrustedAsTemplate
from ansible.parsing.vault import EncryptedString, VaultHelper
from ansible._internal._yaml._loader import AnsibleLoader


class Unheld(Exception):
    """JSON has nothing like it."""


class Date(str):
    """A date as it was written."""


class Loader(AnsibleLoader):
    def construct_yaml_timestamp(self, node):
        super().construct_yaml_timestamp(node)
        return Date(node.value)

    def construct_yaml_float(self, node):
        if not math.isfinite(value := super().construct_yaml_float(node)):
            raise Unheld('no finite number')
        return value

    def refuse(self, node):
        raise Unheld(node.tag)


for name in ('timestamp', 'float'):
    Loader.add_constructor(f'tag:yaml.org,2002:{name}', getattr(Loader, f'construct_yaml_{name}'))
for name in ('set', 'binary', 'omap', 'pairs'):
    Loader.add_constructor(f'tag:yaml.org,2002:{name}', Loader.refuse)


def kind(value, within=()):
    if id(value) in within:
        raise Unheld('what holds itself')
    within = (*within, id(value))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, EncryptedString):
        return {'vault': str(VaultHelper.get_ciphertext(value, with_tags=False))}
    if isinstance(value, Date):
        return {'text': str(value)}
    if isinstance(value, str):
        return {'text' if TrustedAsTemplate.is_tagged_on(value) else 'unsafe': str(value)}
    if isinstance(value, int):
        return {'int': str(int(value))}
    if isinstance(value, float):
        return {'float': repr(float(value))}
    if isinstance(value, list):
        return {'list': [kind(item, within) for item in value]}
    if isinstance(value, dict):
        return {'dict': [[kind(key), kind(item, within)] for key, item in value.items()]}
    raise Unheld(type(value).__name__)


def read(text):
    try:
        return {'value': kind(yaml.load(TrustedAsTemplate().tag(Origin(description='test').tag(text)), Loader=Loader))}
    except Unheld as reason:
        return {'unheld': str(reason)}
    except Exception as error:
        return {'refused': f'{type(error).__name__}: {error}'}


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
