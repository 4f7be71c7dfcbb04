"""PostgreSQL settings for the size of the machine. Pure."""

_GB = 1024


def postgres_settings(*, memory_mb: int, cores: int, shm_mb: int, connections: int) -> dict[str, str]:
    """For a server that shares its machine with our own processes. fsync always stays on."""
    shared_mb = _between(128, memory_mb // 8, 8 * _GB)
    return {
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "max_connections": str(connections),
        "shared_buffers": f"{shared_mb}MB",
        "effective_cache_size": f"{max(256, memory_mb // 2)}MB",
        "work_mem": f"{_between(4, memory_mb // 512, 64)}MB",
        "maintenance_work_mem": f"{_between(64, memory_mb // 32, 1 * _GB)}MB",
        "wal_compression": "on",
        "max_wal_size": f"{_between(1 * _GB, memory_mb // 4, 8 * _GB)}MB",
        "checkpoint_timeout": "15min",
        "checkpoint_completion_target": "0.9",
        "random_page_cost": "1.1",
        "max_worker_processes": str(max(8, cores + 4)),
        "max_parallel_workers": str(cores),
        "max_parallel_workers_per_gather": str(_between(0, cores // 2, 4)),
        "autovacuum_naptime": "15s",
        "autovacuum_vacuum_scale_factor": "0.05",
        "autovacuum_analyze_scale_factor": "0.05",
        "idle_in_transaction_session_timeout": "60s",
        "jit": "off",
        # a container gives 64 MB of /dev/shm unless told otherwise: parallel queries would fail there
        "dynamic_shared_memory_type": "posix" if shm_mb >= 512 else "mmap",  # noqa: PLR2004
        "timezone": "UTC",
        "log_timezone": "UTC",
        "logging_collector": "on",
        "log_filename": "postgres-%a.log",
        "log_rotation_age": "1d",
        "log_rotation_size": "0",
        "log_truncate_on_rotation": "on",
        "log_line_prefix": "%m [%p] %q%u@%d %a ",
        "log_checkpoints": "off",
        # failed statements and their values are not logged: both may hold secrets
        "log_min_error_statement": "panic",
        "log_parameter_max_length_on_error": "0",
    }


def valkey_memory_mb(memory_mb: int) -> int:
    return _between(64, memory_mb // 32, 2 * _GB)


def _between(low: int, value: int, high: int) -> int:
    return max(low, min(value, high))
