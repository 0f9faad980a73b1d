"""Syncs with python-tuf's client, once for each line on standard input, and answers with the nanoseconds it took.

usage: sync.py URL ROOT APP    (a line `first` begins without metadata, `again` with the last ones)
"""

import os
import shutil
import sys
import tempfile
import time

from tuf.ngclient import Updater

url, root, app = sys.argv[1:]
bootstrap = open(root, "rb").read()
folder = tempfile.mkdtemp()


def sync():
    updater = Updater(folder, f"{url}/metadata/", f"{folder}/targets", f"{url}/targets/", bootstrap=bootstrap)
    updater.refresh()
    info = updater.get_targetinfo(f"rollout/{app}.json")
    if not updater.find_cached_target(info):
        updater.download_target(info)


for line in sys.stdin:
    if line.strip() == "first":
        shutil.rmtree(folder)
        os.makedirs(f"{folder}/targets")
    start = time.perf_counter_ns()
    sync()
    print(time.perf_counter_ns() - start, flush=True)
