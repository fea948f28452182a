//! Onus's hands: processes and scripted agents.
