"""Runs commands one at a time and tells what each took, because Node cannot ask the kernel what a child cost.

Standard input: a JSON object a line, {"argv": [...], "env": {...}}. Standard output: one for each,
{"wall": ms, "cpu": ms, "rss": KiB, "code": exit status, "out": the end of what it said}.
"""
import json
import os
import sys
import tempfile
import time

for line in sys.stdin:
    job = json.loads(line)
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        pid = os.posix_spawnp(job["argv"][0], job["argv"], job["env"], file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, said.fileno(), 1),
            (os.POSIX_SPAWN_DUP2, said.fileno(), 2),
        ])
        _, status, usage = os.wait4(pid, 0)
        wall = (time.perf_counter() - start) * 1000
        said.seek(max(0, said.seek(0, os.SEEK_END) - 2000))
        print(json.dumps({
            "wall": wall,
            "cpu": (usage.ru_utime + usage.ru_stime) * 1000,
            "rss": usage.ru_maxrss,
            "code": os.waitstatus_to_exitcode(status),
            "out": said.read().decode("utf-8", "replace"),
        }), flush=True)
