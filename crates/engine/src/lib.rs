//! Onus's heart: the dispatcher that drives a run; the library's front door.
