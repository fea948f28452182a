//! Onus's intent: loop files, presets and prompts to a frozen loop (pure).
