"""Runs commands of the command line client, one after the other in this process: its start alone takes a second.

stdin: a JSON list of [label, line]; a word "@label" of a line stands for the id in what that command said. With the argument
"offered": every command that the client offers and that needs nothing, of every resource.
stdout: a JSON list of {label, argv, code, said, trouble}: `said` is the command's output, `trouble` the traceback of what the
client itself did not expect; an answer that refuses is `code` 1 with the answer in `said`.
"""
import contextlib
import io
import json
import shlex
import sys
import traceback
import warnings

warnings.simplefilter('ignore')
from awxkit.cli.client import CLI
from awxkit.cli.resource import CONTROL_RESOURCES
from awxkit.exceptions import Common

done = []


def command(argv, label=''):
    out = io.StringIO()
    sys.argv = ['awx', *argv]
    result = {'label': label, 'argv': argv, 'code': 0, 'trouble': ''}
    cli = CLI(stdout=out, stderr=out)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            cli.parse_args(sys.argv)
            cli.connect()
            cli.parse_resource()
        except SystemExit as end:
            result['code'] = end.code or 0
        except Common as refusal:
            result['code'] = 1
            out.write(json.dumps(refusal.msg))
        except Exception:
            result.update(code=1, trouble=traceback.format_exc())
    result['said'] = out.getvalue()
    done.append(result)
    return cli, result


def said(result):
    """The last document of the output, which what is followed may come before."""
    text = result['said']
    try:
        return json.loads(text[text.index('{'):] if not text.startswith('[') else text)
    except ValueError:
        at = text.rfind('\n{\n')
        return json.loads(text[at:]) if at >= 0 else {}


def given(steps):
    ids = {}
    for label, line in steps:
        argv = shlex.split(line)
        _, result = command([str(ids[one[1:]]) if one[1:] in ids and one[0] == '@' else one for one in argv], label)
        if result['code']:
            return
        if label:
            ids[label] = said(result).get('id')


def offered():
    cli, _ = command(['ping'])
    for name in [key for key in cli.v2.json if key not in ('dashboard', 'config')]:
        if name in CONTROL_RESOURCES:
            command([name])
            continue
        own, _ = command([name, '--help'])
        actions = [set(one.choices) for one in own.subparsers[name]._actions if one.choices] or [set()]
        if 'list' not in actions[0]:
            continue
        _, listed = command([name, 'list'])
        found = said(listed).get('results') if not listed['code'] else None
        if found and 'get' in actions[0] and isinstance(found[0].get('id'), int):
            command([name, 'get', str(found[0]['id'])])


if 'offered' in sys.argv:
    offered()
else:
    given(json.load(sys.stdin))
print(json.dumps(done))
