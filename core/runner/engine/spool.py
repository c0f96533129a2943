"""A file of the spool, which the engine holds too: it may write to its end, and nothing else."""

import os

# A file system may reserve ahead of writing, as much again as is there already.
AHEAD = 64 * 1024 * 1024


class Spool:
    def __init__(self, name, most, setting):
        self.name, self.most, self.setting = name, most, setting
        path = 'spool/' + name
        self.file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        # one of our own: seeking in the engine's would move its place
        self.own = os.open(path, os.O_RDONLY)
        self.size = 0
        # where what is to be kept ends
        self.end = None

    def look(self):
        """Why the run has to end; '' where nothing is wrong."""
        about = os.fstat(self.file)
        before, self.size = self.size, about.st_size
        if self.end is not None:
            return ''
        if self.size < before:
            self.end = self.size
            return self.forged('was shortened')
        hole = self.hole(before) if self.size > before else None
        if hole is not None:
            self.end = hole
            return self.forged('has a hole')
        if self.most and self.size > self.most:
            self.end = self.most
            return 'The %s of the run had more than the %d bytes of %s; the run was ended.' % (
                self.name, self.most, self.setting)
        if about.st_blocks * 512 > 4 * self.size + AHEAD:
            self.end = self.size
            return self.forged('took room without writing')
        return ''

    def forged(self, what):
        return 'The file of the run\'s %s %s, which no output does; the run was ended.' % (self.name, what)

    def hole(self, since):
        try:
            at = os.lseek(self.own, since, os.SEEK_HOLE)
        except OSError:
            return None
        return at if at < self.size else None

    def last_line(self):
        """What was said last, in so far as it fits into a record."""
        end = os.fstat(self.file).st_size
        start = max(0, end - 1000)
        lines = os.pread(self.own, end - start, start).decode(errors='replace').strip().splitlines()
        return lines[-1].strip() if lines else ''

    def cut(self):
        """Once nobody writes any more."""
        if self.end is not None and os.fstat(self.file).st_size >= self.end:
            os.ftruncate(self.file, self.end)
