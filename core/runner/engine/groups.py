"""The control groups of a run (cgroups(7)), which the service has made: what its processes may take together."""


def enter(folders):
    """Ourselves, for good: whatever we start from now on is born there. The reason where that fails."""
    for folder in folders:
        try:
            # 0 is whoever writes
            with open(folder + '/cgroup.procs', 'w') as file:
                file.write('0')
        except OSError as error:
            return 'its control group cannot be entered: %s: %s' % (error.strerror, folder)
    return ''


def out_of_memory(folders):
    """Did the kernel end a process for going beyond the group's memory?"""
    for folder in folders:
        for name in ('memory.events', 'memory.oom_control'):
            try:
                with open(folder + '/' + name) as file:
                    if any(line.split()[0] == 'oom_kill' and int(line.split()[1]) for line in file):
                        return True
            except (OSError, IndexError, ValueError):
                pass
    return False
