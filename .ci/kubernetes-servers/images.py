"""Write an archive of container images, each with the files of one folder: `images.py ARCHIVE NAME=FOLDER…`.

The format is that of `docker save`, which `ctr images import` reads.
"""

import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path


def _root(item: tarfile.TarInfo) -> tarfile.TarInfo:
    item.uid = item.gid = 0
    item.uname = item.gname = ""
    return item


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    item = tarfile.TarInfo(name)
    item.size = len(content)
    archive.addfile(item, io.BytesIO(content))


def main(path: str, *images: str) -> None:
    manifest = []
    with tarfile.open(path, "w") as archive:
        for image in images:
            name, _, folder = image.partition("=")
            layer = io.BytesIO()
            with tarfile.open(fileobj=layer, mode="w") as files:
                files.add(Path(folder), arcname=".", filter=_root)
            digest = hashlib.sha256(layer.getvalue()).hexdigest()
            config = {
                "architecture": "amd64",
                "os": "linux",
                "config": {"Cmd": ["/pause"], "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"]},
                "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
            }
            text = json.dumps(config).encode()
            config_name = f"{hashlib.sha256(text).hexdigest()}.json"
            _add(archive, config_name, text)
            _add(archive, f"{digest}/layer.tar", layer.getvalue())
            manifest.append({"Config": config_name, "RepoTags": [name], "Layers": [f"{digest}/layer.tar"]})
        _add(archive, "manifest.json", json.dumps(manifest).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
