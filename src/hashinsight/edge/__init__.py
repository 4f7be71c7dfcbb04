"""The collector at a site: polls machines, protects them, uploads samples and executes commands.

`collector` runs everything, `local_site` is the side of the machines. A reading: `polling` → `library_process` (child)
→ `readings.record` → `protection` and `cloud.intake` → `storage.spool` → `cloud.uplink`. A command: `commands.runner`
→ `commands.admission` → `commands.executor` → `library_process.actions` → `storage.journal` → `cloud.reporter`.
"""
