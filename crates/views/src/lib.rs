//! Onus's telling: events to summaries, reports, tables and JSON (pure).
