"""What there is to know of processes, and to ask of our own."""

import os


def proc_stat(pid):
    """(parent, state, start time) of a process, or None."""
    try:
        with open('/proc/%d/stat' % pid, 'rb') as file:
            fields = file.read().rpartition(b')')[2].split()
        return int(fields[1]), fields[0].decode(), int(fields[19])
    except (OSError, IndexError):
        return None


def children(pid):
    try:
        with open('/proc/%d/task/%d/children' % (pid, pid), 'rb') as file:
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:
        if os.path.exists('/proc/self/task/%d/children' % os.getpid()):
            return []
    except OSError:
        return []
    everyone = [int(name) for name in os.listdir('/proc') if name.isdigit()]
    return [other for other in everyone if (proc_stat(other) or (0,))[0] == pid]


def descendants(pid):
    found, waiting = [], [pid]
    while waiting:
        for child in children(waiting.pop()):
            found.append(child)
            waiting.append(child)
    return found


def become_subreaper():
    """Orphans of the engine become our children, so that none gets away."""
    prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def rename(name):
    """What lists of processes show: those that stood by all have the same command line."""
    prctl(15, name.encode()[:15] + b'\0', 0, 0, 0)  # PR_SET_NAME


def prctl(*arguments):
    """By what `ctypes` stands on: itself it takes 4 ms."""
    try:
        import _ctypes
        _ctypes.call_function(_ctypes.dlsym(_ctypes.dlopen(None, 0), 'prctl'), arguments)
    except (ImportError, AttributeError):
        import ctypes
        ctypes.CDLL(None).prctl(*arguments)
