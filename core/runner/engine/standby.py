"""Waits for jobs, so that none of them waits for an interpreter: each gets a fork of this process as its wrapper.

usage: standby.main(COUNT), with a socket per job at the descriptors 3, 4, …

A socket is used once. It brings what wrapper.py would be given on its command line, and takes what that says on
stderr. Only the fork reads it: no secret of a job comes into the memory that other jobs' wrappers begin with.
Whoever started us holds the other ends, and nobody else does. However it ends, the sockets close, and so do we;
a fork that has its job stays.
"""

import os
import select

import _ctypes  # noqa: F401  the wrapper needs it later
import _signal as signal
import _socket

import wrapper

FIRST = 3


def main(count):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    poller = select.poll()
    waiting = {fd: _socket.socket(fileno=fd) for fd in range(FIRST, FIRST + count)}
    for fd in waiting:
        poller.register(fd, select.POLLIN)
    while waiting:
        for fd, _ in poller.poll():
            poller.unregister(fd)
            channel = waiting.pop(fd)
            if peek(channel) and fork():
                return become_wrapper(channel, waiting.values())
            channel.close()


def peek(channel):
    try:
        return channel.recv(1, _socket.MSG_PEEK)
    except OSError:
        return b''


def fork():
    """True in the new process. Where none can be had the service starts one itself, and says why it cannot."""
    try:
        return os.fork() == 0
    except OSError:
        return False


def become_wrapper(channel, others):
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for other in others:
        other.close()
    arguments, environment = read_job(channel) or (None, None)
    if arguments is None:
        return
    os.dup2(channel.fileno(), 2)
    channel.close()
    wrapper.main(arguments, environment)


def read_job(channel):
    """`LENGTH\\n` and then so many bytes, NUL between them: how many arguments, these, `name=value` of the environment."""
    text = b''
    while b'\n' not in text:
        more = channel.recv(65536)
        if not more:
            return None
        text += more
    length, _, body = text.partition(b'\n')
    parts, missing = [body], int(length) - len(body)
    while missing > 0:
        more = channel.recv(min(missing, 1 << 20))
        if not more:
            return None
        parts.append(more)
        missing -= len(more)
    fields = b''.join(parts).split(b'\0')
    count = int(fields[0])
    environment = dict(field.split(b'=', 1) for field in fields[count + 1:])
    return [os.fsdecode(field) for field in fields[1:count + 1]], environment
