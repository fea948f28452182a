//! Onus's test kit: projects, scripted loops and fault injection for tests.
