//! Onus's senses: raw output to answers, verdicts and evidence (pure).
