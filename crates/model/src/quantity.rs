//! Scores and weights: exact integers inside, decimal numbers in files. No float decides anything.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a number is not a quantity.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum QuantityError {
    #[error("a score must be between 0 and 1 with at most four decimals, not {0}")]
    Score(f64),
    #[error("a weight must be between 0 and 1000000 with at most three decimals, not {0}")]
    Weight(f64),
}

/// A share of 1 in hundredths of a percent: `Score(8571)` is 0.8571. Always rounded down, so `score >= threshold` on the
/// integers is the same statement as on the exact fractions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Score(u16);

impl Score {
    pub const ZERO: Score = Score(0);
    pub const ONE: Score = Score(10_000);

    /// From hundredths of a percent; above 1 is 1.
    pub fn from_basis_points(points: u16) -> Score {
        Score(points.min(10_000))
    }

    /// `part / whole`, rounded down. An empty whole is 1: nothing was asked.
    pub fn of_weights(part: Weight, whole: Weight) -> Score {
        if whole.0 == 0 {
            return Score::ONE;
        }
        let points = u128::from(part.0) * 10_000 / u128::from(whole.0);
        Score(u16::try_from(points).unwrap_or(10_000).min(10_000))
    }

    pub fn basis_points(self) -> u16 {
        self.0
    }

    /// `self - other`, in hundredths of a percent, signed.
    pub fn delta(self, other: Score) -> i32 {
        i32::from(self.0) - i32::from(other.0)
    }

    /// How much is missing to reach `threshold`, floored at 0.
    pub fn gap_to(self, threshold: Score) -> Score {
        Score(threshold.0.saturating_sub(self.0))
    }
}

impl fmt::Display for Score {
    /// Two decimals at least, four at most: `0.80`, `0.8571`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 10_000, self.0 % 10_000);
        let text = format!("{whole}.{rest:04}");
        let keep = text.trim_end_matches('0').len().max(4);
        f.write_str(&text[..keep])
    }
}

/// `value * scale` as an integer, if it is one. The tolerance only undoes the decimal-to-binary conversion of the file.
fn scaled(value: f64, scale: f64, max: f64) -> Option<u64> {
    let product = value * scale;
    let rounded = product.round();
    let exact = value.is_finite() && (product - rounded).abs() < 1e-6 && (0.0..=max).contains(&rounded);
    // The range check above makes the conversion lossless.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    exact.then_some(rounded as u64)
}

impl TryFrom<f64> for Score {
    type Error = QuantityError;
    fn try_from(value: f64) -> Result<Score, QuantityError> {
        let points = scaled(value, 10_000.0, 10_000.0).and_then(|p| u16::try_from(p).ok());
        points.map(Score).ok_or(QuantityError::Score(value))
    }
}

impl From<Score> for f64 {
    fn from(score: Score) -> f64 {
        f64::from(score.0) / 10_000.0
    }
}

/// What a criterion is worth, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
#[schemars(with = "f64")]
pub struct Weight(u64);

impl Weight {
    pub const ZERO: Weight = Weight(0);

    pub fn whole(units: u32) -> Weight {
        Weight(u64::from(units) * 1000)
    }

    pub fn plus(self, other: Weight) -> Weight {
        Weight(self.0.saturating_add(other.0))
    }

    pub fn thousandths(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 % 1000 {
            0 => write!(f, "{}", self.0 / 1000),
            rest => f.write_str(format!("{}.{rest:03}", self.0 / 1000).trim_end_matches('0')),
        }
    }
}

impl TryFrom<f64> for Weight {
    type Error = QuantityError;
    fn try_from(value: f64) -> Result<Weight, QuantityError> {
        scaled(value, 1000.0, 1e9)
            .map(Weight)
            .ok_or(QuantityError::Weight(value))
    }
}

impl From<Weight> for f64 {
    fn from(weight: Weight) -> f64 {
        // At most 1e9, far inside f64's exact integers.
        #[allow(clippy::cast_precision_loss)]
        let thousandths = weight.0 as f64;
        thousandths / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_round_down_and_compare_exactly() {
        let share = |a, b| Score::of_weights(Weight::whole(a), Weight::whole(b));
        assert_eq!(share(6, 7).basis_points(), 8571);
        assert_eq!(share(5, 7).basis_points(), 7142);
        assert_eq!(share(9, 10), Score::from_basis_points(9000));
        assert_eq!(share(0, 0), Score::ONE);
        assert_eq!(share(2, 3).gap_to(Score::from_basis_points(7500)).basis_points(), 834);
    }

    #[test]
    fn every_score_survives_its_file_form() {
        for points in 0..=10_000 {
            let score = Score::from_basis_points(points);
            let text = serde_json::to_string(&score).unwrap();
            assert_eq!(serde_json::from_str::<Score>(&text).unwrap(), score, "{text}");
        }
        for bad in ["-0.1", "1.1", "0.12345", "\"0.5\""] {
            assert!(serde_json::from_str::<Score>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn quantities_print_short() {
        assert_eq!(Score::from_basis_points(8000).to_string(), "0.80");
        assert_eq!(Score::from_basis_points(8571).to_string(), "0.8571");
        assert_eq!(Score::ONE.to_string(), "1.00");
        assert_eq!(Weight::try_from(1.5).unwrap().to_string(), "1.5");
        assert_eq!(Weight::whole(2).to_string(), "2");
    }
}
