"""Downloads an archive, unpacks it and makes a commit of what it holds. Run by update.sh inside the sandbox, in its workspace.

The commit is the same for the same content, whoever fetches it and when.
"""
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile

from commit import Unkept, commit
from source import Failure, address_and_login, basic

MOST_BYTES = int(os.environ["SCM_MOST_BYTES"]) or sys.maxsize
MOST_FILES = int(os.environ["SCM_MOST_FILES"]) or sys.maxsize
PIECE = 1 << 20


class OwnHostOnly(urllib.request.HTTPRedirectHandler):
    """Whoever it is sent on to, the login is for the host of the source, and never in the open."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        old, new = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        if new.scheme not in ("http", "https") or (old.scheme == "https" and new.scheme != "https"):
            raise Failure(f"it leads on to {new.scheme}://{new.hostname}")
        made = super().redirect_request(req, fp, code, msg, headers, newurl)
        if made is not None and (new.hostname, new.port, new.scheme) != (old.hostname, old.port, old.scheme):
            made.headers.pop("Authorization", None)
        return made


def download(url, target):
    bare, login = address_and_login(url)
    headers = {"User-Agent": "Tapline"}
    if any(login):
        headers["Authorization"] = basic(login)
    # what the environment says of proxies is for other programs
    opener = urllib.request.build_opener(OwnHostOnly, urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(bare, headers=headers), timeout=60) as answer, open(target, "wb") as file:
        size = 0
        while piece := answer.read(PIECE):
            size += len(piece)
            if size > MOST_BYTES:
                raise Failure(f"it has more than the {MOST_BYTES} bytes of CHECKOUT_MAX_BYTES")
            file.write(piece)


class Tree:
    """What is unpacked: nothing of it lies or leads outside, and it stays within the limits whatever the archive says of itself."""

    def __init__(self, folder):
        os.mkdir(folder)
        # where it really is, as links are held against it
        self.folder, self.bytes, self.files, self.links = os.path.realpath(folder), 0, 0, []

    def place(self, name):
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or ".." in parts or "\0" in name:
            raise Failure(f"{name!r} lies outside of it")
        return os.path.join(self.folder, *parts)

    def count(self):
        self.files += 1
        if self.files > MOST_FILES:
            raise Failure(f"it has more files than the {MOST_FILES} of CHECKOUT_MAX_FILES")

    def add_folder(self, name):
        self.count()
        os.makedirs(self.place(name), exist_ok=True)

    def add_file(self, name, stream, executable):
        self.count()
        place = self.place(name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            while piece := stream.read(PIECE):
                self.bytes += len(piece)
                if self.bytes > MOST_BYTES:
                    raise Failure(f"its files have more than the {MOST_BYTES} bytes of CHECKOUT_MAX_BYTES")
                file.write(piece)
        os.chmod(place, 0o755 if executable else 0o644)

    def add_link(self, name, target):
        self.count()
        if os.path.isabs(target):
            raise Failure(f"the link {name!r} leads outside of it")
        self.links.append((name, target))

    def finish(self):
        # last of all: nothing is written through a link
        for name, target in self.links:
            folder = os.path.dirname(self.place(name))
            if os.path.realpath(folder) != folder:
                raise Failure(f"the link {name!r} leads through another")
            os.makedirs(folder, exist_ok=True)
            os.symlink(target, self.place(name))

    def assert_within(self, root):
        """Once all links are there: where one ends may lie with the others on its way."""
        for name, _ in self.links:
            if not f"{os.path.realpath(self.place(name))}/".startswith(f"{os.path.realpath(root)}/"):
                raise Failure(f"the link {name!r} leads outside of it")


def unpack_tar(path, tree):
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isdir():
                tree.add_folder(member.name)
            elif member.issym():
                tree.add_link(member.name, member.linkname)
            elif member.isreg() or member.islnk():
                try:
                    stream = archive.extractfile(member)
                except KeyError:
                    stream = None
                if stream is None:
                    raise Failure(f"{member.name!r} is a link to nothing")
                tree.add_file(member.name, stream, member.mode & 0o100)
            else:
                raise Failure(f"{member.name!r} is neither a file, a folder nor a link")


def unpack_zip(path, tree):
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            name, mode = entry.filename.replace("\\", "/"), entry.external_attr >> 16
            if entry.flag_bits & 1:
                raise Failure("it is encrypted")
            if entry.is_dir():
                tree.add_folder(name)
                continue
            with archive.open(entry) as stream:
                if stat.S_ISLNK(mode):
                    tree.add_link(name, os.fsdecode(stream.read(4096)))
                else:
                    tree.add_file(name, stream, mode & 0o100)


def unpack(path, target):
    tree = Tree(os.path.abspath(target))
    if zipfile.is_zipfile(path):
        unpack_zip(path, tree)
    elif tarfile.is_tarfile(path):
        unpack_tar(path, tree)
    else:
        raise Failure("it is neither a tar nor a zip archive")
    tree.finish()
    # most hold one folder, named after project and version
    inner = os.listdir(target)
    only = os.path.join(target, inner[0]) if len(inner) == 1 else ""
    root = only if only and os.path.isdir(only) and not os.path.islink(only) else target
    tree.assert_within(root)
    return root


try:
    download(os.environ["SCM_URL"], "archive")
    commit(unpack("archive", "unpacked"), "The content of an archive")
    os.remove("archive")
    shutil.rmtree("unpacked", ignore_errors=True)
except urllib.error.HTTPError as error:
    print(f"The archive could not be fetched: its server answered {error.code} {error.reason}.")
    sys.exit(2)
except (urllib.error.URLError, OSError) as error:
    print(f"The archive could not be fetched: {getattr(error, 'reason', error)}.")
    sys.exit(2)
except (Failure, Unkept, tarfile.TarError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
    print(f"The archive could not be used: {error}.")
    sys.exit(2)
except subprocess.CalledProcessError:
    print("The archive could not be used: it holds names that cannot be kept.")
    sys.exit(2)
