//! Onus's memory: append-only history, artifacts by hash, locks, recovery.
