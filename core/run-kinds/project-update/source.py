"""What archive.py and subversion.py know of a source: its address, and the login of the run for it."""
import base64
import urllib.parse


class Failure(Exception):
    """Says why the source cannot be had."""


def read(name):
    with open(f"env/{name}", encoding="utf-8") as file:
        return file.read()


def address_and_login(url):
    """The address without a user, and (user, password), of which either may be empty. A user in the address goes first."""
    parts = urllib.parse.urlsplit(url)
    username = urllib.parse.unquote(parts.username) if parts.username else read("scm_username")
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), (username, read("scm_password"))


def basic(login):
    """The header that shows it."""
    return "Basic " + base64.b64encode(":".join(login).encode()).decode()
