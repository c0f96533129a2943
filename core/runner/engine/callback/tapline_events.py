"""Writes what happens in a play as NDJSON, one event per line, and says which part of the output belongs to it.

The engine's standard output is a file (the wrapper opened it), so its size is the position of the next
character. Text shown while a callback is being dispatched belongs to that callback's event; text shown
outside becomes an event of its own. Output itself is never touched.
"""
from __future__ import annotations

DOCUMENTATION = """
    name: tapline_events
    type: aggregate
    short_description: events of a run as NDJSON on an inherited file descriptor
    description: Used by Tapline. Does nothing where TAPLINE_EVENTS_FD is not set.
"""
import errno
import functools
import json
import os
import sys
import threading
import time
import uuid

from ansible import constants as C
from ansible.executor.task_queue_manager import TaskQueueManager
from ansible.plugins.callback import CallbackBase
from ansible.utils.display import Display

CENSORED = "the output has been hidden due to the fact that 'no_log: true' was specified for this result"
FACT_ACTIONS = {'setup', 'gather_facts'}
GUID = os.environ.get('TAPLINE_GUID', '')
LARGEST_RESULT = int(os.environ.get('TAPLINE_MAX_RES', 700000))
# of an ad hoc command there is no frame of plays and tasks to tell of
ONLY = {'runner_on_ok', 'runner_on_failed', 'runner_on_unreachable', 'runner_on_skipped', 'playbook_on_stats'} \
    if os.environ.get('TAPLINE_EVENTS') == 'results' else None


class Recorder:
    """Owns the event stream and the position in the output. One lock holds both, so that order and ranges agree."""

    def __init__(self, events_fd, control_fd):
        self.events_fd, self.control_fd = events_fd, control_fd
        self.pid = os.getpid()
        self.lock = threading.RLock()
        self.local = threading.local()
        self.depth = 0
        self.pending = []
        self.last = False
        for fd in (events_fd, control_fd):
            # modules and other programs of the play have no business with them
            os.set_inheritable(fd, False)

    def size(self):
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError as error:
            self.report(error)
            raise
        return os.fstat(1).st_size

    def outer(self, call, finish):
        """Runs the outermost of nested calls under the lock, and lets it claim the text that it showed."""
        with self.lock:
            if self.depth:
                return call()
            self.depth = 1
            start = self.size()
            try:
                return call()
            except OSError as error:
                self.report(error)
                raise
            finally:
                self.depth = 0
                finish(start, self.size())

    def report(self, error):
        if error.errno == errno.ENOSPC:
            self.tell(b'F')

    def tell(self, word):
        try:
            os.write(self.control_fd, word)
        except OSError:
            pass  # nobody is left to hear it

    def write(self, event, data, start, end, parent='', verbosity=0, identity=None, result=None):
        identity = identity or str(uuid.uuid4())
        data['uuid'], data['guid'] = identity, GUID
        line = encode({
            'event': event, 'uuid': identity, 'parent_uuid': parent, 'created': stamp(time.time()),
            'from': start, 'to': end, 'verbosity': verbosity, 'event_data': data})
        if result is not None:
            text = encode(result)
            line = line[:-2] + ', "res": ' + (text if len(text) <= LARGEST_RESULT else '{}') + '}}'
        try:
            os.write(self.events_fd, line.encode() + b'\n')
        except OSError as error:
            self.report(error)

    def flush(self, start, end):
        """The events of one dispatch; its text goes to the first."""
        pending, self.pending = self.pending, []
        for event in pending:
            self.write(start=start, end=end, **event)
            start = end
        if start < end:
            self.text('verbose', start, end)
        if self.last:
            # the engine takes its time to end: what it said can be stored meanwhile
            self.last = False
            self.tell(b'S')

    def text(self, kind, start, end, verbosity=0, host=None):
        self.write(kind, {} if host is None else {'remote_addr': host}, start, end, verbosity=verbosity)


def encode(value):
    try:
        return json.dumps(value, default=str, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(plain(value), default=str)


def plain(value, depth=0):
    """What JSON can say: no NaN, no odd keys, no cycles."""
    if depth > 60:
        return str(type(value))
    if isinstance(value, dict):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, float) and (value != value or value in (float('inf'), float('-inf'))):
        return str(value)
    return value


def connect():
    try:
        return Recorder(int(os.environ['TAPLINE_EVENTS_FD']), int(os.environ['TAPLINE_CONTROL_FD']))
    except (KeyError, ValueError, OSError):
        return None


def listen(recorder):
    """Puts the recorder around the two places where the engine talks. Worker processes pass through untouched."""
    send_callback, display = TaskQueueManager.send_callback, Display.display
    kinds = {C.COLOR_WARN: 'warning', C.COLOR_DEPRECATE: 'deprecated', C.COLOR_ERROR: 'error', C.COLOR_DEBUG: 'debug'}

    @functools.wraps(send_callback)
    def recorded_callback(self, *args, **kwargs):
        if os.getpid() != recorder.pid:
            return send_callback(self, *args, **kwargs)
        return recorder.outer(lambda: send_callback(self, *args, **kwargs), recorder.flush)

    @functools.wraps(display)
    def recorded_display(self, msg, color=None, *args, **kwargs):
        if os.getpid() != recorder.pid:
            return display(self, msg, color, *args, **kwargs)

        def finish(start, end):
            if start < end:
                kind, verbosity, host = getattr(recorder.local, 'kind', None) or (kinds.get(color, 'verbose'), 0, None)
                recorder.text(kind, start, end, verbosity, host)

        return recorder.outer(lambda: display(self, msg, color, *args, **kwargs), finish)

    TaskQueueManager.send_callback = recorded_callback
    Display.display = recorded_display
    name_kind(recorder, 'system_warning', lambda *_, **__: ('system_warning', 0, None))
    # newer engines show verbose text in two steps, and only the second happens in the main process
    verbose = '_verbose_display' if hasattr(Display, '_verbose_display') else 'verbose'
    name_kind(recorder, verbose, lambda msg, host=None, caplevel=2, **_: ('verbose', caplevel + 1, host))


def name_kind(recorder, name, describe):
    original = getattr(Display, name)

    @functools.wraps(original)
    def named(self, *args, **kwargs):
        before = getattr(recorder.local, 'kind', None)
        recorder.local.kind = describe(*args, **kwargs)
        try:
            return original(self, *args, **kwargs)
        finally:
            recorder.local.kind = before

    setattr(Display, name, named)


class Names:
    """The engine repeats the uuid of a play per batch and of a task per batch or host: ours are told apart."""

    def __init__(self):
        self.count = {}
        self.current = {}

    def begin(self, name):
        self.count[name] = number = self.count.get(name, 0) + 1
        self.current[name] = name if number == 1 else '%s_%d' % (name, number)
        return self.current[name]


recorder = connect()


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'aggregate'
    CALLBACK_NAME = 'tapline_events'

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.disabled = recorder is None
        if self.disabled:
            return
        self.names = Names()
        self.playbook, self.play, self.tasks, self.host_tasks = {}, {}, {}, {}
        self.task_uuid, self.begun = '', {}
        size = recorder.size()
        if size:
            recorder.text('verbose', 0, size)
        listen(recorder)

    # -- what every event says about where it happened

    def add(self, event, parent, data, identity=None, result=None):
        if ONLY is not None and event not in ONLY:
            return
        recorder.pending.append({'event': event, 'parent': parent, 'data': data, 'identity': identity, 'result': result})

    def describe_task(self, task):
        found = self.tasks.get(task._uuid)
        if found is None:
            role = getattr(task, '_role', None)
            found = {
                'task': task.get_name().strip(),
                'task_action': str(task.action),
                'resolved_action': str(getattr(task, 'resolved_action', '') or task.action),
                'task_args': self.arguments(task),
                'task_path': task.get_path() or '',
            }
            if role:
                found['role'] = getattr(role, '_role_name', '') or role.get_name()
                found['resolved_role'] = role.get_name()
            self.tasks[task._uuid] = found
        return found

    @staticmethod
    def arguments(task):
        if not getattr(C, 'DISPLAY_ARGS_TO_STDOUT', False) or task.no_log:
            return ''
        return ', '.join('%s=%s' % pair for pair in task.args.items())

    def add_task_event(self, event, data, identity=None):
        self.add(event, self.play.get('play_uuid', ''), {**self.playbook, **self.play, **data}, identity)

    def add_result(self, event, result, fields=None, result_data=None):
        task = result._task
        host = result._host.get_name()
        parent = self.host_tasks.get((host, task._uuid)) or self.names.current.get(task._uuid, self.task_uuid)
        data = {**self.playbook, **self.play, **self.describe_task(task), 'task_uuid': parent, 'host': host, **(fields or {})}
        self.add(event, parent, data, result=result_data)

    def times(self, result):
        key = (result._host.get_name(), result._task._uuid)
        end = time.time()
        start = self.begun.pop(key, end)
        duration = round(end - start, 6)
        return {'remote_addr': result._host.address, 'start': stamp(start), 'end': stamp(end), 'duration': duration}

    def finished(self, event, result, with_result=True, loop=True, **more):
        fields = {**self.times(result), **more, **({'event_loop': getattr(result._task, 'loop_with', None)} if loop else {})}
        self.add_result(event, result, fields, clean(result) if with_result else None)
        self.host_tasks.pop((result._host.get_name(), result._task._uuid), None)

    # -- playbook

    def v2_playbook_on_start(self, playbook):
        name = playbook._file_name
        identity, relative = str(uuid.uuid4()), os.path.relpath(name)
        self.playbook = {'playbook': name if relative.startswith('..') else relative, 'playbook_uuid': identity}
        self.add('playbook_on_start', '', dict(self.playbook), identity)

    def v2_playbook_on_play_start(self, play):
        identity = self.names.begin(play._uuid)
        hosts = play.hosts
        pattern = hosts if isinstance(hosts, str) else ','.join(str(host) for host in hosts or [])
        name = play.get_name().strip()
        self.play = {'play': name, 'play_uuid': identity, 'play_pattern': pattern}
        self.task_uuid = ''
        data = {**self.playbook, **self.play, 'name': name, 'pattern': pattern}
        self.add('playbook_on_play_start', self.playbook.get('playbook_uuid', ''), data, identity)

    def v2_playbook_on_stats(self, stats):
        data = {name: dict(getattr(stats, name, {})) for name in
                ('ok', 'changed', 'dark', 'failures', 'ignored', 'processed', 'rescued', 'skipped')}
        data['artifact_data'] = (getattr(stats, 'custom', None) or {}).get('_run', {})
        recorder.last = True
        self.add('playbook_on_stats', self.playbook.get('playbook_uuid', ''), {**self.playbook, **data})

    def v2_playbook_on_vars_prompt(self, *values):
        names = ('varname', 'private', 'prompt', 'encrypt', 'confirm', 'salt_size', 'salt', 'default', 'unsafe')
        data = dict(zip(names, values), salt=None)
        self.add_task_event('playbook_on_vars_prompt', {**data, 'default': None if data.get('private') else data.get('default')})

    # -- task

    def begin_task(self, task, is_conditional):
        # a name may hold templates that are resolved only now
        self.tasks.pop(task._uuid, None)
        self.task_uuid = identity = self.names.begin(task._uuid)
        described = self.describe_task(task)
        self.add_task_event('playbook_on_task_start', {
            **described, 'task_uuid': identity, 'name': described['task'], 'is_conditional': is_conditional}, identity)

    def v2_playbook_on_task_start(self, task, is_conditional):
        self.begin_task(task, is_conditional)

    def v2_playbook_on_handler_task_start(self, task):
        self.begin_task(task, False)

    def v2_playbook_on_include(self, included_file):
        self.add_task_event('playbook_on_include', {'included_file': str(included_file._filename)})

    def v2_playbook_on_notify(self, handler, host):
        self.add_task_event('playbook_on_notify', {'host': host.get_name(), 'handler': handler.get_name()})

    def v2_playbook_on_no_hosts_matched(self):
        self.add_task_event('playbook_on_no_hosts_matched', {})

    def v2_playbook_on_no_hosts_remaining(self):
        self.add_task_event('playbook_on_no_hosts_remaining', {})

    # -- host

    def v2_runner_on_start(self, host, task):
        name = host.get_name()
        parent = self.names.current.get(task._uuid, self.task_uuid)
        self.host_tasks[name, task._uuid] = parent
        self.begun[name, task._uuid] = time.time()
        data = {**self.playbook, **self.play, **self.describe_task(task), 'task_uuid': parent, 'host': name}
        self.add('runner_on_start', parent, data)

    def v2_runner_on_ok(self, result):
        self.finished('runner_on_ok', result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.finished('runner_on_failed', result, ignore_errors=bool(ignore_errors))

    def v2_runner_on_skipped(self, result):
        self.finished('runner_on_skipped', result, with_result=False)

    def v2_runner_on_unreachable(self, result):
        self.finished('runner_on_unreachable', result, loop=False)

    def on_async(self, event, result):
        self.add_result(event, result, {'jid': result._result.get('ansible_job_id')}, clean(result))

    def v2_runner_on_async_poll(self, result):
        self.on_async('runner_on_async_poll', result)

    def v2_runner_on_async_ok(self, result):
        self.on_async('runner_on_async_ok', result)

    def v2_runner_on_async_failed(self, result):
        self.on_async('runner_on_async_failed', result)

    def on_item(self, event, result):
        self.add_result(event, result, None, clean(result))

    def v2_runner_item_on_ok(self, result):
        self.on_item('runner_item_on_ok', result)

    def v2_runner_item_on_failed(self, result):
        self.on_item('runner_item_on_failed', result)

    def v2_runner_item_on_skipped(self, result):
        self.on_item('runner_item_on_skipped', result)

    def v2_runner_retry(self, result):
        self.on_item('runner_retry', result)

    def v2_on_file_diff(self, result):
        diff = None if is_hidden(result._result, result._task) else result._result.get('diff')
        if diff:
            self.add_result('runner_on_file_diff', result, {'diff': diff})


def stamp(moment):
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(moment)) + '.%06dZ' % int(moment % 1 * 1e6)


def is_hidden(result, task=None):
    return bool(result.get('_ansible_no_log') or 'censored' in result or (task is not None and task.no_log is True))


def censor(result):
    # the flag says nothing about the content, and the event's `changed` hangs on it
    return {'censored': CENSORED, 'changed': bool(result.get('changed', False))}


def clean(result):
    data = result._result
    if is_hidden(data, result._task):
        return censor(data)
    data = {key: value for key, value in data.items() if not key.startswith('_ansible_') or key == '_ansible_delegated_vars'}
    items = data.get('results')
    if isinstance(items, list):
        data['results'] = [censor(item) if isinstance(item, dict) and is_hidden(item) else item for item in items]
    facts = data.get('ansible_facts')
    if isinstance(facts, dict) and str(result._task.action).rpartition('.')[2] in FACT_ACTIONS:
        # the environment of a login may hold secrets
        data['ansible_facts'] = {key: value for key, value in facts.items() if key not in ('ansible_env', 'env')}
    return data
