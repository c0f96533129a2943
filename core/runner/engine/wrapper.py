"""Stands over one engine process: starts it, keeps its limits, ends its whole tree, leaves an exit record.

arguments: JOB [name=value ...] -- program [argument ...]

JOB is the job's folder: control/ (pid, ack, exit) and spool/ (stdout, events) are ours alone, work/ is the
engine's. The environment is handed on as it is. One line on stderr says `started PID STARTTIME BOOT ENGINE`,
or what went wrong; after that nothing is written there.

  timeout=S     seconds until the run is ended; 0 = never
  idle=S        seconds without a word after which it is ended; 0 = never
  grace=S       seconds between the polite signal and the end of the tree
  limit=BYTES   the engine is paused while more than this waits to be stored; 0 = never
  stdout=BYTES events=BYTES  the run is ended when a file of the spool has more; 0 = never
  processes=N memory=BYTES file=BYTES files=N  limits of the engine and of all that it starts (limits.py)
  depth=N       how many processes of the sandbox stand between us and the engine
  pidfile=PATH  in which a container's first process is noted, which is the engine's; it is none of the program's children
  cwd=PATH      where the engine starts, relative to work/
  cgroup=PATH   a control group to enter before the engine is started (repeatable; groups.py)
  uid=N gid=N   the engine's identity, when it is not ours
  wipe=PATH     a secret, relative to work/, to be removed when the engine has ended (repeatable)
"""

import os
import select
import sys
import time

# The plain C module: `signal` builds its enums for 4 ms, and the start of a job waits for us.
import _signal as signal
from _json import encode_basestring_ascii as quoted

import groups
from limits import Limited, RESOURCES
from processes import become_subreaper, children, descendants, proc_stat, rename
from spool import Spool

EVENTS_FD, CONTROL_FD = 3, 4
RECORD_SIZE = 4096
LEAST_ROOM, MOST_ROOM = 64 * 1024, 64 * 1024 * 1024
SETTINGS = {'stdout': 'RUN_MAX_OUTPUT_BYTES', 'events': 'RUN_MAX_EVENT_BYTES'}


def utc_now():
    now = time.time()
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now)) + '.%06dZ' % (now % 1 * 1e6)


class Job:
    def __init__(self, options, argv, environment):
        self.argv, self.environment = argv, environment
        self.timeout = float(options.get('timeout', 0))
        self.idle = float(options.get('idle', 0))
        self.grace = float(options.get('grace', 1.2))
        self.limit = int(options.get('limit', 0))
        self.depth = int(options.get('depth', 0))
        self.pidfile = options.get('pidfile')
        self.cwd = options.get('cwd', '.')
        self.uid, self.gid = int(options.get('uid', -1)), int(options.get('gid', -1))
        self.wipe = options.get('wipe', [])
        self.groups = options.get('cgroup', [])
        self.limits = {name: int(options.get(name, 0)) for name in RESOURCES}
        self.most = {name: int(options.get(name, 0)) for name in SETTINGS}
        self.child = self.status = self.reason = self.kill_at = None
        self.detail = ''
        self.paused = self.frozen = False
        self.acknowledged = 0
        self.started = utc_now()

    def open(self):
        # Whoever creates control/pid owns the job: a control plane that gives a half-made workspace up
        # creates it too, and then we must not start anything.
        claim = os.open('control/pid', os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        self.identity = '%d %d %s' % (os.getpid(), proc_stat(os.getpid())[2], boot_id())
        os.write(claim, self.identity.encode() + b'\n')
        os.close(claim)
        self.record = os.open('control/exit', os.O_RDWR)
        self.stdout, self.events = self.spool = [Spool(name, self.most[name], SETTINGS[name]) for name in SETTINGS]
        self.control, self.control_end = os.pipe()
        self.wake, wake_end = os.pipe()
        for end in (self.control, self.wake, wake_end):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.asked())
        for number in (signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def start(self):
        """Without a fork of our own, which would take longer than all the rest. The reason where there is no engine."""
        # A process group of its own, not a session: not every interpreter was built with that, and ours has no terminal.
        # out of the way of the low numbers first: any of them may be one of ours
        events, control = 50, 51
        files = [
            (os.POSIX_SPAWN_DUP2, self.events.file, events), (os.POSIX_SPAWN_DUP2, self.control_end, control),
            (os.POSIX_SPAWN_OPEN, 0, '/dev/null', os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, self.stdout.file, 1), (os.POSIX_SPAWN_DUP2, self.stdout.file, 2),
            (os.POSIX_SPAWN_DUP2, events, EVENTS_FD), (os.POSIX_SPAWN_DUP2, control, CONTROL_FD),
            (os.POSIX_SPAWN_CLOSE, events), (os.POSIX_SPAWN_CLOSE, control),
        ]
        usual = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGCHLD)
        home = os.open('.', os.O_RDONLY)
        mask = os.umask(0o022)
        try:
            wrong = groups.enter(self.groups)
            if wrong:
                return wrong
            os.chdir('work')
            os.chdir(self.cwd)
            with Limited(self.limits):
                self.child = os.posix_spawn(
                    self.argv[0], self.argv, self.environment, file_actions=files, setpgroup=0, setsigdef=usual)
        except OSError as error:
            return '%s: %s' % (error.strerror, error.filename or self.argv[0])
        finally:
            os.umask(mask)
            os.fchdir(home)
            os.close(home)
            os.close(self.control_end)
        self.deadline = time.monotonic() + self.timeout if self.timeout > 0 else None
        return ''

    def watch(self):
        become_subreaper()
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(self.wake, select.POLLIN)
        size, heard_at = -1, 0.0
        while not self.reap():
            now = time.monotonic()
            if self.deadline is not None and now >= self.deadline:
                self.stop('timeout')
            if self.kill_at is not None and now >= self.kill_at:
                self.kill_tree()
                continue
            before, size = size, self.spooled()
            # an engine that we hold up ourselves cannot say anything
            if size != before or self.paused:
                heard_at = now
            elif self.idle and now - heard_at >= self.idle:
                self.stop('limit', 'The run said nothing for %d s and was ended (DEFAULT_JOB_IDLE_TIMEOUT).' % self.idle)
            if self.kill_at == 0:
                continue
            self.keep_limit(size)
            if self.out_of_room():
                self.stop('disk_full', 'no space left on the device that holds the job folder', at_once=True)
                continue
            # half a second is soon enough where nothing moves
            pause = 0.5 if size == before and not self.paused else 0.15
            for moment in (self.deadline, self.kill_at):
                if moment is not None:
                    pause = min(pause, max(0.0, moment - now))
            for fd, event in poller.poll(int(pause * 1000) + 1):
                self.heard(fd, event, poller)
        return self.status

    def heard(self, fd, event, poller):
        try:
            text = os.read(fd, 4096)
        except BlockingIOError:
            return
        if fd != self.control:
            return
        if not text:
            poller.unregister(fd)
            return
        if b'S' in text:
            touch('control/pid')
        if b'F' in text:
            self.stop('disk_full', 'the engine could not write: no space left on device', at_once=True)

    def reap(self):
        """Collects what has ended; true once the engine has."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid == self.child:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def spooled(self):
        """The size of both files. A run that did to them what it may not is ended."""
        for spool in self.spool:
            wrong = spool.look()
            if wrong:
                self.stop('limit', wrong, at_once=True)
        return self.stdout.size + self.events.size

    def out_of_room(self):
        room = os.fstatvfs(self.record)
        needed = min(MOST_ROOM, max(LEAST_ROOM, room.f_blocks * room.f_frsize // 100))
        return room.f_bavail * room.f_frsize < needed

    def keep_limit(self, size):
        if not self.limit or self.kill_at is not None:
            return
        if size - self.acknowledged > self.limit:
            self.acknowledged = read_acknowledged()
        waiting = size - self.acknowledged
        full = waiting > self.limit
        if full != self.paused and self.signal_engine(signal.SIGSTOP if full else signal.SIGCONT):
            self.paused = full
        # The engine stands, and what it started writes on. Each time, since there may be new ones.
        if waiting > self.limit + self.limit // 4:
            self.frozen = True
            self.signal_all(signal.SIGSTOP)
        elif self.frozen and not full:
            self.frozen = False
            self.signal_all(signal.SIGCONT)

    def signal_all(self, number):
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                pass

    def engine(self):
        """The engine's own process: the first one below those of the sandbox, or the one that is noted."""
        if self.pidfile:
            return self.noted() or self.child
        pid = self.child
        for _ in range(self.depth):
            below = children(pid)
            if not below:
                return None
            pid = below[0]
        return pid

    def noted(self):
        """None before there is a container: then what makes it is told."""
        try:
            with open(self.pidfile) as file:
                return int(file.read())
        except (OSError, ValueError):
            return None

    def signal_engine(self, number):
        pid = self.engine()
        if pid is None:
            return False
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return False
        return True

    def asked(self):
        """To end: because somebody wants it, or as control/reason says."""
        try:
            with open('control/reason') as file:
                self.stop('limit', file.read(2000))
        except OSError:
            self.stop('canceled')

    def stop(self, reason, detail='', at_once=False):
        if self.reason is None:
            self.reason, self.detail = reason, detail
            self.kill_at = 0 if at_once else time.monotonic() + self.grace
            self.deadline = None
            if self.child and self.status is None:
                self.signal_engine(signal.SIGINT)
                self.signal_engine(signal.SIGCONT)
                if self.frozen:
                    self.signal_all(signal.SIGCONT)

    def kill_tree(self):
        """Until none is left: what the dead leave behind becomes our child, and is seen in the next round."""
        rounds = 0
        while True:
            self.reap()
            left = [pid for pid in descendants(os.getpid()) if (proc_stat(pid) or (0, 'Z'))[1] != 'Z']
            if not left or rounds > 2000:
                break
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            rounds += 1
            time.sleep(0.002)
        self.reap()

    def wipe_secrets(self):
        """As the engine's user: a path that the playbook turned into a link leads nowhere it could not go itself."""
        if not self.wipe:
            return
        try:
            pid = os.fork()
        except OSError:
            # no process to be had: the whole workspace is removed soon
            return
        if pid:
            os.waitpid(pid, 0)
            return
        try:
            os.chdir('work')
            if self.uid >= 0:
                os.setgroups([])
                os.setgid(self.gid)
                os.setuid(self.uid)
            # whatever lies below, however deep
            os.execv('/bin/rm', ['rm', '-rf', '--'] + self.wipe)
        finally:
            os._exit(1)

    def write_record(self):
        code = self.status
        if self.reason is None and self.pidfile and code and self.noted() is None:
            self.reason, self.detail = 'start_failed', self.stdout.last_line()
        killed = code is not None and code < 0
        # a sandbox reports a signal as a shell does; 250 and the like are the engine's own
        number = -code if killed else code - 128 if self.depth and code is not None and 128 < code <= 192 else None
        if self.reason is None and code not in (0, None) and self.out_of_room():
            self.reason, self.detail = 'disk_full', 'no space left on the device that holds the job folder'
        if self.reason is None and code != 0 and groups.out_of_memory(self.groups):
            self.reason = 'limit'
            self.detail = 'The run took more memory than it may (RUN_MAX_MEMORY_BYTES); the system ended a process of it.'
        reason = self.reason or ('killed' if number == signal.SIGKILL else 'exit')
        record = {
            'rc': None if number == signal.SIGKILL or killed or code is None else code,
            'signal': signal_name(number), 'reason': reason, 'detail': self.detail,
            'started': self.started, 'finished': utc_now(),
        }
        text = as_json(record).encode()
        # in place and at its full size: needs no room on the device, and a reader sees all of it or none
        os.pwrite(self.record, text[:RECORD_SIZE - 1].ljust(RECORD_SIZE - 1) + b'\n', 0)


def touch(path):
    """Wakes whoever watches the folder."""
    try:
        os.utime(path)
    except OSError:
        pass


def as_json(record):
    """A flat one. Importing `json` takes 6 ms, and the end of a job waits for us."""
    def show(value):
        return 'null' if value is None else quoted(value) if isinstance(value, str) else str(value)
    return '{%s}' % ', '.join('%s: %s' % (quoted(name), show(value)) for name, value in record.items())


def signal_name(number):
    if number is None:
        return None
    names = [name for name in dir(signal) if name.startswith('SIG') and '_' not in name]
    return next((name for name in names if getattr(signal, name) == number), str(number))


def boot_id():
    with open('/proc/sys/kernel/random/boot_id') as file:
        return file.read().strip()


def read_acknowledged():
    try:
        with open('control/ack') as file:
            return sum(int(number) for number in file.read().split())
    except (OSError, ValueError):
        return 0


def main(arguments, environment=os.environ):
    split = arguments.index('--')
    options = {}
    for name, _, value in (argument.partition('=') for argument in arguments[1:split]):
        if name in ('wipe', 'cgroup'):
            options.setdefault(name, []).append(value)
        else:
            options[name] = value
    os.umask(0o077)
    os.chdir(arguments[0])
    job = Job(options, arguments[split + 1:], environment)
    job.open()
    error = job.start()
    if error:
        job.reason, job.detail = 'start_failed', error
    rename('tapline ' + os.path.basename(arguments[0]))
    os.write(2, ('started %s %d\n' % (job.identity, job.child)).encode() if not error else error.encode())
    null = os.open('/dev/null', os.O_WRONLY)
    os.dup2(null, 2)
    if not error:
        job.watch()
    job.kill_tree()
    job.spooled()
    for spool in job.spool:
        spool.cut()
    job.wipe_secrets()
    job.write_record()


if __name__ == '__main__':
    main(sys.argv[1:])
