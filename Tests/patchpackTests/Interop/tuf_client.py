"""Reads a feed in a folder with python-tuf's client, and prints the list and the length of each envelope.

usage: tuf_client.py FEED METADATA_DIR ROOT APP
"""

import json
import os
import sys
import urllib.parse

from tuf.api.exceptions import DownloadHTTPError
from tuf.ngclient import Updater
from tuf.ngclient.fetcher import FetcherInterface

feed, metadata, root, app = sys.argv[1:]


class Folder(FetcherInterface):
    """A folder in place of a server."""

    def _fetch(self, url):
        path = urllib.parse.urlparse(url).path
        try:
            with open(feed + urllib.parse.unquote(path), "rb") as file:
                yield file.read()
        except FileNotFoundError:
            raise DownloadHTTPError(path, 404) from None


os.makedirs(metadata + "/targets", exist_ok=True)
updater = Updater(
    metadata, "https://feed/metadata/", metadata + "/targets", "https://feed/targets/", fetcher=Folder(),
    bootstrap=open(root, "rb").read())
updater.refresh()


def read(path):
    info = updater.get_targetinfo(path)
    if info is None:
        sys.exit(path + " is not found")
    return open(updater.download_target(info), "rb").read()


listed = json.loads(read(f"rollout/{app}.json"))
print(json.dumps({
    "patches": [[p["id"], p["version"], p["state"], len(read(p["path"]))] for p in listed["patches"]],
    "enabled": listed["enabled"],
}))
