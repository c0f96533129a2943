"""Makes a commit of a folder, the same for the same content, whoever makes it and when."""
import os
import subprocess


class Unkept(Exception):
    """Something in it cannot be kept."""


def git(*arguments, text=None):
    command = ["git", "--git-dir", os.path.abspath("repo.git"), *arguments]
    environment = {**os.environ, **author}
    return subprocess.run(command, check=True, input=text, stdout=subprocess.PIPE, env=environment).stdout


author = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
          {"NAME": "archive", "EMAIL": "archive@localhost", "DATE": "1970-01-01T00:00:00Z"}.items()}


def commit(root, message):
    """As refs/tapline/head, with what is in the folder. Links are kept as they are, and followed nowhere."""
    entries = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name.lower() != ".git"]
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted(files + links):
            path = os.path.join(folder, name)
            shown = os.path.relpath(path, root)
            if "\n" in shown:
                raise Unkept(f"{shown!r} is no name of a file that can be kept")
            if os.path.islink(path):
                object_id = git("hash-object", "-w", "--stdin", text=os.readlink(path).encode()).strip()
                entries.append((b"120000", object_id, shown))
            elif os.path.isfile(path):
                mode = b"100755" if os.stat(path).st_mode & 0o100 else b"100644"
                entries.append((mode, None, shown))
    plain = [os.path.abspath(os.path.join(root, name)) for _, object_id, name in entries if object_id is None]
    hashed = iter(git("hash-object", "-w", "--no-filters", "--stdin-paths", text=os.fsencode("\n".join(plain))).split())
    lines = [b"%s %s\t%s" % (mode, object_id or next(hashed), os.fsencode(name)) for mode, object_id, name in entries]
    git("update-index", "-z", "--index-info", text=b"".join(line + b"\0" for line in lines))
    tree = git("write-tree").decode().strip()
    made = git("commit-tree", tree, text=f"{message}\n".encode()).decode().strip()
    git("update-ref", "refs/tapline/head", made)
