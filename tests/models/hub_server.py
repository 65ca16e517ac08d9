"""A Hugging Face hub with one model, as its HTTP interface is documented."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

MODEL = "acme/tiny"
COMMIT = "5c38ec7c405ec4b44b94cc5a9bb96e735b38267a"
_LFS = (".onnx", "_data")


@dataclass
class HubServer:
    """Large files are handed on to another host name; a file breaks off where that is said."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    commit: str = COMMIT
    gated: bool = False
    status: int = 200
    breaks_off_at: int | None = None
    served_instead: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    tokens: dict[str, str | None] = field(default_factory=dict)
    ranges: list[str] = field(default_factory=list)

    def reply(self, path: str, headers: Mapping[str, str]) -> tuple[int, dict[str, str], bytes]:
        self.requests.append(path)
        self.tokens[path] = headers["Authorization"]
        if self.status != 200:
            return self.status, {}, b"down"
        if listed := re.fullmatch(rf"/api/models/{MODEL}/revision/(.+)\?blobs=true", path):
            return self._listing(listed[1])
        if asked := re.fullmatch(rf"/{MODEL}/resolve/([^/]+)/(.+)", path):
            return self._resolved(asked[1], asked[2], headers)
        if path.startswith("/cdn/"):
            return self._content(path.removeprefix("/cdn/"), headers)
        return 401, {"X-Error-Code": "RepoNotFound"}, b"Invalid username or password."

    def _listing(self, revision):
        if revision not in {"main", self.commit, "refs%2Fpr%2F1"}:
            return 404, {"X-Error-Code": "RevisionNotFound"}, b""
        siblings = [_sibling(path, content) for path, content in self.files.items()]
        about = {"id": MODEL, "sha": self.commit, "gated": "manual" if self.gated else False, "siblings": siblings}
        return 200, {"Content-Type": "application/json"}, json.dumps(about).encode()

    def _resolved(self, commit, path, headers):
        if self.gated and headers["Authorization"] is None:
            return 401, {"X-Error-Code": "GatedRepo"}, b"Access to model acme/tiny is restricted."
        if commit != self.commit or path not in self.files:
            return 404, {"X-Error-Code": "EntryNotFound"}, b""
        if path.endswith(_LFS):
            return 302, {"Location": f"{self.url.replace('127.0.0.1', 'localhost')}/cdn/{path}"}, b""
        return self._content(path, headers)

    def _content(self, path, headers):
        content = self.served_instead.get(path, self.files[path])
        if headers["Range"] is None:
            return 200, {}, content
        self.ranges.append(headers["Range"])
        start = int(headers["Range"].removeprefix("bytes=").removesuffix("-"))
        return 206, {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"}, content[start:]


def _sibling(path, content):
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    about = {"rfilename": path, "size": len(content), "blobId": blob}
    if not path.endswith(_LFS):
        return about
    return {**about, "lfs": {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}}
