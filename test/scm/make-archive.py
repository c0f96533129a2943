"""Makes an archive of the kind that is asked for: of a name to write to, and of what is in it as JSON on standard input."""
import io
import json
import stat
import sys
import tarfile
import zipfile

target, entries = sys.argv[1], json.load(sys.stdin)


def content(entry):
    return entry.get("text", "x" * entry.get("size", 0)).encode()


if target.endswith(".zip"):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry["name"])
            kind = stat.S_IFLNK if "link" in entry else stat.S_IFREG
            info.external_attr = (kind | (0o755 if entry.get("executable") else 0o644)) << 16
            archive.writestr(info, entry["link"] if "link" in entry else content(entry), zipfile.ZIP_DEFLATED)
else:
    with tarfile.open(target, "w:gz") as archive:
        for entry in entries:
            info = tarfile.TarInfo(entry["name"])
            info.mode = 0o755 if entry.get("executable") else 0o644
            info.type = {"link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "device": tarfile.CHRTYPE}.get(
                next((key for key in ("link", "hard", "device") if key in entry), ""), tarfile.REGTYPE
            )
            info.linkname = entry.get("link", entry.get("hard", ""))
            data = content(entry) if info.isreg() else b""
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
