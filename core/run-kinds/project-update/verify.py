"""Verifies what a revision holds by its signed list of checksums, as ansible-sign makes it. Run by update.sh inside the sandbox."""
import json
import os
import re
import shutil
import subprocess
import sys

TREE = "verified"
HOME = os.path.abspath("gnupg")


def fail(reason):
    print(f"The content of the project could not be verified: {reason}.", flush=True)
    sys.exit(7)


def put(repository, revision, folder):
    """As a checkout does: an export would leave out what the repository says to leave out."""
    os.makedirs(folder, exist_ok=True)
    environment = {**os.environ, "GIT_INDEX_FILE": os.path.abspath("verified.index")}
    place = ["--git-dir", os.path.abspath(repository), "--work-tree", os.path.abspath(folder)]
    subprocess.run(["git", *place, "read-tree", "-u", "--reset", revision], check=True, env=environment, cwd=folder)
    os.remove("verified.index")


def put_submodules():
    if not os.path.exists("result/modules"):
        return
    with open("result/modules", encoding="utf-8") as lines:
        for line in lines:
            module = json.loads(line)
            folder = os.path.join(TREE, module["path"])
            if not os.path.realpath(folder).startswith(os.path.realpath(TREE) + os.sep):
                fail(f'the submodule "{module["path"]}" lies outside of it')
            put(module["pack"].replace("module-", "modules-") + ".git", module["commit"], folder)


def said(result):
    text = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    print(text, end="", flush=True)
    return text


def reason(text):
    """The first thing that is not in order."""
    for line in text.splitlines():
        match = re.match(r"\[(?:ERROR|NOTE) *\] *(.+)", line)
        if match:
            return match.group(1).rstrip(".")
    return "it is not signed by the key of the credential"


def main():
    for program, brings in (("gpg", "the package gnupg"), ("ansible-sign", "npm run setup")):
        if shutil.which(program) is None:
            fail(f"this node has no {program} ({brings} brings it)")
    os.mkdir(HOME, 0o700)
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "check": False}
    imported = subprocess.run(
        ["gpg", "--homedir", HOME, "--batch", "--no-autostart", "--quiet", "--import", "env/gpg_public_key"], **both
    )
    if imported.returncode != 0:
        fail("the credential holds no public key that gpg can read")
    put("repo.git", sys.argv[1], TREE)
    put_submodules()
    if not os.path.exists(f"{TREE}/.ansible-sign/sha256sum.txt.sig"):
        fail("it is not signed: there is no .ansible-sign/sha256sum.txt.sig")
    # its own answer: 0, and nothing else, is a signature and checksums that fit
    checked = subprocess.run(["ansible-sign", "--nocolor", "project", "gpg-verify", "--gnupg-home", HOME, TREE], **both)
    text = said(checked)
    if checked.returncode != 0:
        fail(reason(text))
    shutil.rmtree(TREE, ignore_errors=True)


try:
    main()
except subprocess.CalledProcessError:
    fail("it could not be laid out")
