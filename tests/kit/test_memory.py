"""A process that keeps its memory does not fetch it anew for every array."""

import subprocess
import sys

# faults of the last of five rounds
_FAULTS = """
import resource, sys, threading
import numpy as np
from hashinsight.kit.process import keep_memory

if sys.argv[1] == "keeps":
    assert keep_memory()

def work():
    [np.ones(1_000_000) for _ in range(16)]

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

for _ in range(5):
    before = faults()
    work()
    if sys.argv[1] == "keeps":  # and so for threads, each of which may have memory of its own otherwise
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
print(faults() - before)
"""


def test_arrays_of_a_process_that_keeps_its_memory_cause_no_page_faults_after_the_first() -> None:
    faults = {how: int(_run(how)) for how in ("keeps", "gives back")}
    pages = 16 * 8_000_000 // 4096
    assert faults["keeps"] < pages / 100
    assert faults["gives back"] > pages / 10


def _run(how: str) -> str:
    made = subprocess.run([sys.executable, "-c", _FAULTS, how], check=True, capture_output=True, text=True)
    return made.stdout
