"""Memory that a process keeps: what a large array gave back is there for the next one.

The C library hands large blocks back to the system as soon as they are free, and a page that is touched for the first
time costs a fault. Whoever makes hundreds of megabytes of short-lived arrays pays that again and again: the statistics
of 100,000 machines took between 0.2 and 0.45 s of processor for the same work, by how much had been given back before.
"""

import ctypes

# as in malloc.h: where threads take their memory from, what is asked of the system apart, what is given back
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
_NEVER = 2**31 - 1
_LARGEST = 32 << 20  # the most that the C library takes for this
_AT_A_TIME = 16 << 20


def keep_memory() -> bool:
    """For processes that live long and compute on arrays; before their first thread. False: this system cannot.

    The process stays as large as it was at its largest. One arena for all threads, since the others are of 64 MB each
    and go back to the system whenever one is free.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # not the GNU C library
        return False
    wanted = ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, _LARGEST), (_TRIM_THRESHOLD, _NEVER), (_TOP_PAD, _AT_A_TIME))
    return all(mallopt(name, value) == 1 for name, value in wanted)
