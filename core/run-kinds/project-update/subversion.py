"""Exports a folder of a Subversion repository at a revision and makes a commit of it. Run by update.sh inside the sandbox, in its workspace."""
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

from commit import Unkept, commit
from source import Failure, address_and_login, basic

# nothing is kept of a login
CONFIG = {
    "config": "[auth]\npassword-stores =\nstore-auth-creds = no\n",
    "servers": "[global]\nstore-passwords = no\nstore-auth-creds = no\nssl-trust-default-ca = yes\nhttp-timeout = 60\n",
}


class Nowhere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        return None


PORTS = {"http": 80, "https": 443}


def origin(url):
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)


def assert_stays(url, login):
    """svn would follow a server to another one, and show that the login of the source: with it or without."""
    opener = urllib.request.build_opener(Nowhere, urllib.request.ProxyHandler({}))
    for shown in ({}, {"Authorization": basic(login)}):
        request = urllib.request.Request(url, method="OPTIONS", headers={"User-Agent": "Tapline", **shown})
        try:
            opener.open(request, timeout=60).close()
        except urllib.error.HTTPError as error:
            onward = urllib.parse.urljoin(url, error.headers.get("Location") or url)
            if 300 <= error.code < 400 and origin(onward) != origin(url):
                raise Failure("its server leads on to {}://{}:{}".format(*origin(onward))) from error
            if error.code == 401 and any(login):
                continue
        return


def svn(login, *arguments):
    username, password = login
    command = ["svn", *arguments, "--non-interactive", "--no-auth-cache", "--config-dir", os.path.abspath("subversion")]
    command += ["--username", username] if username else []
    command += ["--password-from-stdin"] if password else []
    done = subprocess.run(command, input=f"{password}\n", capture_output=True, text=True, errors="replace")
    if done.returncode == 0:
        return done.stdout
    # behind a code, for searching; the last one is the cause
    said = re.findall(r"^svn: (?:[EW]\d+: )?(.+)$", done.stderr, re.M)
    raise Failure(said[-1] if said else "svn does not say why")


def export(url, revision):
    bare, login = address_and_login(url)
    if origin(bare)[0] in PORTS:
        assert_stays(bare, login)
    number = svn(login, "info", "--show-item", "last-changed-revision", f"{bare}@{revision}").strip()
    print(f"Exporting revision {number}", flush=True)
    svn(login, "export", "--quiet", "--ignore-externals", f"{bare}@{number}", "exported")
    if not os.path.isdir("exported") or os.path.islink("exported"):
        raise Failure("its address is that of a file, not of a folder")
    return number


try:
    os.mkdir("subversion")
    for name, text in CONFIG.items():
        with open(os.path.join("subversion", name), "w", encoding="utf-8") as file:
            file.write(text)
    commit("exported", f"Revision {export(os.environ['SCM_URL'], os.environ['SCM_BRANCH'] or 'HEAD')}")
    shutil.rmtree("exported", ignore_errors=True)
except Unkept as error:
    print(f"The source could not be exported: {error}.")
    sys.exit(2)
except (Failure, OSError) as error:
    print(f"The source could not be exported: {str(getattr(error, 'reason', error)).rstrip('.')}.")
    sys.exit(2)
except subprocess.CalledProcessError:
    print("The source could not be exported: it holds names that cannot be kept.")
    sys.exit(2)
