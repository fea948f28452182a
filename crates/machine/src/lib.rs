//! Onus's decisions: decide, apply, pending; scoring and stop rules (pure).
