"""Facts as one plain JSON file per host.

The engine's own `jsonfile` wraps them since 2.19: a schema prefix before the name, the facts as a text inside
a JSON object, and types marked in them. What is stored and compared outside has to be the facts themselves.
"""

from __future__ import annotations

DOCUMENTATION = """
    name: tapline_facts
    short_description: facts as plain JSON files
    description: Used by Tapline.
    options:
      _uri:
        required: true
        description: folder of the files
        type: path
        env:
          - name: ANSIBLE_CACHE_PLUGIN_CONNECTION
      _prefix:
        description: not used
        env:
          - name: ANSIBLE_CACHE_PLUGIN_PREFIX
      _timeout:
        default: 86400
        description: seconds after which facts are not used any more; 0 = never
        type: integer
        env:
          - name: ANSIBLE_CACHE_PLUGIN_TIMEOUT
"""

import json

from ansible.plugins.cache import BaseFileCacheModule


class CacheModule(BaseFileCacheModule):
    # the name is the engine's: it asks for the bare plugin, without its wrapping
    _persistent = False

    def _load(self, filepath):
        with open(filepath, encoding='utf-8') as file:
            return json.load(file)

    def _dump(self, value, filepath):
        with open(filepath, 'w', encoding='utf-8') as file:
            json.dump(value, file, default=str)
