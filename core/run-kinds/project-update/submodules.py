"""Fetches the submodules of a revision, and theirs, each into a repository of its own. Run by update.sh inside the sandbox.

Hands over, per submodule: a pack in fetched/, and a line of JSON in result/modules that says where it belongs.
"""
import json
import os
import re
import subprocess
import sys

MOST = 200
DEEPEST = 8
TRACK = os.environ.get("SCM_TRACK") == "1"
CACHE = os.environ["SCM_CACHE"]
# names become folders, as git has it
SAFE_NAME = re.compile(r"(?!\.\.?(/|$))[\w.@+-]+(/(?!\.\.?(/|$))[\w.@+-]+)*")


class Failure(Exception):
    pass


def git(repository, *arguments, **options):
    return subprocess.run(
        ["git", "--git-dir", repository, *arguments], check=True, stdout=subprocess.PIPE, text=True, **options
    ).stdout


def succeeds(repository, *arguments):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.run(["git", "--git-dir", repository, *arguments], check=False, **quiet).returncode == 0


def place_of(url):
    """Host and port of an address, letter by letter; None for folders."""
    match = re.match(r"[A-Za-z][\w+.-]*://(?:[^/@]*@)?([^/]*)", url) or re.match(r"(?:[\w.~-]+@)?([\w.\[\]:-]+?):(?!//)", url)
    return match.group(1).lower() if match else None


def absolute(url, parent):
    """As git resolves ./ and ../ against where the repository itself came from."""
    if not re.match(r"\.\.?/", url):
        return url
    base = parent.rstrip("/")
    while True:
        if url.startswith("./"):
            url = url[2:]
        elif url.startswith("../"):
            url = url[3:]
            at = max(base.rfind("/"), base.rfind(":"))
            if at < 0 or base[: at + 1].endswith("://"):
                raise Failure("its address leads above the source")
            base = base[:at] if base[at] == "/" else base[: at + 1]
        else:
            return base + url if base.endswith(":") else f"{base}/{url}"


def declared(repository, revision):
    """What .gitmodules says, by path: name, url, branch."""
    if not succeeds(repository, "cat-file", "-e", f"{revision}:.gitmodules"):
        return {}
    modules = {}
    listed = git(repository, "config", "--blob", f"{revision}:.gitmodules", "--null", "--list")
    for entry in listed.split("\0"):
        key, _, value = entry.partition("\n")
        match = re.fullmatch(r"submodule\.(.*)\.(path|url|branch)", key, re.DOTALL)
        if match:
            modules.setdefault(match.group(1), {"name": match.group(1)})[match.group(2)] = value
    return {module["path"]: module for module in modules.values() if "path" in module and "url" in module}


def links(repository, revision):
    """Paths of the submodules that the revision holds, with their commits."""
    for entry in git(repository, "ls-tree", "-r", "-z", "--full-tree", revision).split("\0"):
        about, _, path = entry.partition("\t")
        if about.startswith("160000 "):
            yield path, about.split(" ")[2]


class Update:
    def __init__(self):
        self.count = 0
        self.source = place_of(os.environ["SCM_URL"])
        self.result = open("result/modules", "w", encoding="utf-8")

    def below(self, repository, revision, url, place, path, depth=0):
        modules = declared(repository, revision)
        for inner, commit in links(repository, revision):
            module = modules.get(inner)
            where = f"{path}/{inner}" if path else inner
            # a link without an entry is nothing that git could fetch either
            if module is None:
                continue
            try:
                self.one(module, commit, url, place, where, depth)
            except Failure as failure:
                print(f'The submodule "{where}" could not be fetched: {failure}.', flush=True)
                sys.exit(6)
            except subprocess.CalledProcessError:
                print(f'The submodule "{where}" could not be fetched.', flush=True)
                sys.exit(6)

    def one(self, module, commit, parent, place, path, depth):
        self.count += 1
        if self.count > MOST or depth >= DEEPEST:
            raise Failure(f"there are more than {MOST} of them, or they lie deeper than {DEEPEST}")
        if not SAFE_NAME.fullmatch(module["name"]):
            raise Failure("its name is none that can be a folder")
        url = absolute(module["url"], parent)
        if url.startswith("-") or re.search(r"[\0-\x20\x7f]|^[\w+.-]+::", url):
            raise Failure("its address is of no known form")
        if url.startswith("file:") or url.startswith("/"):
            self.assert_shown(url)
        own = f"{place}modules/{module['name']}"
        repository = f"modules-{self.count}.git"
        wanted = None if TRACK else commit
        print(f"Submodule {path}", flush=True)
        commit = self.fetch(repository, own, url, wanted, module.get("branch"))
        self.hand_over(repository, own, commit, path)
        self.below(repository, commit, url, f"{own}/", path, depth + 1)

    def assert_shown(self, url):
        folder = os.path.realpath(re.sub(r"^file:(//)?", "", url))
        shown = [os.path.realpath(one) for one in json.loads(os.environ.get("SCM_FOLDERS", "[]"))]
        if not any(folder == one or folder.startswith(one.rstrip("/") + "/") for one in shown):
            raise Failure("file:// addresses are only possible below the folders of the setting PROJECT_FILE_URLS")

    def fetch(self, repository, own, url, wanted, branch):
        subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
        kept = os.path.join(CACHE, own) if CACHE else ""
        if kept and os.access(os.path.join(kept, "objects"), os.R_OK):
            with open(f"{repository}/objects/info/alternates", "w", encoding="utf-8") as alternates:
                alternates.write(os.path.join(kept, "objects") + "\n")
        if wanted and succeeds(repository, "cat-file", "-e", f"{wanted}^{{commit}}"):
            return wanted
        # the login is the source's: no other host is shown it
        foreign = {} if place_of(url) == self.source else {"SCM_FOREIGN": "1"}
        options = {"env": {**os.environ, **foreign}, "stderr": subprocess.STDOUT}

        def got(*refs):
            command = ["git", "--git-dir", repository, "fetch", "--force", "--no-tags", "--no-write-fetch-head"]
            return subprocess.run([*command, "--", url, *refs], check=False, **options).returncode == 0

        if wanted is None:
            head = os.environ["SCM_BRANCH"] if branch == "." else branch or ""
            if head.startswith("-") or not got(f"+{f'refs/heads/{head}' if head else 'HEAD'}:refs/tapline/head"):
                raise Failure(f'it has no branch "{head}"' if head else "it could not be reached")
            return git(repository, "rev-parse", "--verify", "refs/tapline/head^{commit}").strip()
        # not every server gives out a commit that is asked for by name
        if not got(f"+{wanted}:refs/tapline/head"):
            got("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        if not succeeds(repository, "cat-file", "-e", f"{wanted}^{{commit}}"):
            raise Failure(f"there is no commit {wanted} at {shown(url)}")
        return wanted

    def hand_over(self, repository, own, commit, path):
        known = ""
        kept = os.path.join(CACHE, own) if CACHE else ""
        if kept and os.path.isdir(kept):
            known = git(kept, "for-each-ref", "--format=^%(objectname)")
        pack = f"module-{self.count}"
        with open(f"fetched/{pack}", "wb") as file:
            packing = ["git", "--git-dir", repository, "pack-objects", "--revs", "--thin", "--stdout", "--quiet"]
            subprocess.run(packing, input=f"{commit}\n{known}".encode(), stdout=file, check=True)
        line = {"place": own, "commit": commit, "path": path, "pack": pack, "tracked": TRACK}
        self.result.write(json.dumps(line) + "\n")
        self.result.flush()


def shown(url):
    return re.sub(r"://[^/@]*@", "://", url)


Update().below("repo.git", sys.argv[1], os.environ["SCM_URL"], "", "")
