"""What an engine may take of the machine. Set on ourselves for the moment in which it starts: all that it starts inherits it."""

import resource

RESOURCES = {
    'processes': resource.RLIMIT_NPROC,
    'memory': resource.RLIMIT_DATA,
    'file': resource.RLIMIT_FSIZE,
    'files': resource.RLIMIT_NOFILE,
}
# The kernel short of memory takes a playbook before it takes the service or its database.
FIRST_TO_GO = '500'
OOM_FILE = '/proc/self/oom_score_adj'


class Limited:
    """with Limited({'processes': 4096}): start it"""

    def __init__(self, wanted):
        self.wanted = {RESOURCES[name]: value for name, value in wanted.items() if value > 0}
        self.before = {}
        self.oom = None

    def __enter__(self):
        for kind, most in self.wanted.items():
            soft, hard = self.before[kind] = resource.getrlimit(kind)
            set_limit(kind, lower(soft, most), lower(hard, most))
        self.oom = swap_oom(FIRST_TO_GO)

    def __exit__(self, *_):
        # Only root may raise what it lowered. Elsewhere we go on with the engine's limits, and need no more.
        for kind, (soft, hard) in self.before.items():
            set_limit(kind, soft, hard)
        if self.oom is not None:
            swap_oom(self.oom)


def lower(limit, most):
    return most if limit == resource.RLIM_INFINITY else min(limit, most)


def set_limit(kind, soft, hard):
    try:
        resource.setrlimit(kind, (soft, hard))
    except (OSError, ValueError):
        pass


def swap_oom(value):
    """What it was before; None where it could not be changed."""
    try:
        with open(OOM_FILE, 'r+') as file:
            before = file.read().strip()
            if int(before) > int(value) == int(FIRST_TO_GO):
                return None
            file.seek(0)
            file.write(value)
            return before
    except (OSError, ValueError):
        return None
