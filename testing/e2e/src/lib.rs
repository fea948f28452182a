//! Onus's stories: the real binary in a cleared environment.
