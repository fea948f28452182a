//! Onus's measurements, as ratios within one run.
