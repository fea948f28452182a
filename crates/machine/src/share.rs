//! Weighted means in whole numbers: nothing is rounded before the last step, and that one rounds down.

use onus_model::{Score, Weight};

/// Weighted shares added up: `points / whole` is their mean in hundredths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sum {
    points: u128,
    whole: u128,
}

impl Sum {
    /// A mean that is exactly this score.
    pub(crate) fn exactly(score: Score) -> Sum {
        Sum {
            points: u128::from(score.basis_points()),
            whole: 1,
        }
    }

    pub(crate) fn plus(self, weight: Weight, share: Score) -> Sum {
        let weight = u128::from(weight.thousandths());
        Sum {
            points: self.points + weight * u128::from(share.basis_points()),
            whole: self.whole + weight,
        }
    }

    /// The mean, rounded down. Nothing that weighs anything is 1: nothing was asked.
    pub(crate) fn score(self) -> Score {
        let (points, whole) = self.fraction();
        rounded_down(points / whole)
    }

    pub(crate) fn is_above(self, score: Score) -> bool {
        let (points, whole) = self.fraction();
        points > u128::from(score.basis_points()) * whole
    }

    fn fraction(self) -> (u128, u128) {
        match self.whole {
            0 => (u128::from(Score::ONE.basis_points()), 1),
            whole => (self.points, whole),
        }
    }
}

/// The weighted mean of means, as one exact fraction. A third and two thirds make a whole: each part rounded down by itself
/// would not. Weights whose common denominator does not fit into 128 bits are rounded down part by part, so a score is never
/// too high.
pub(crate) fn mean(parts: &[(Weight, Sum)]) -> Score {
    let weight = |(weight, _): &(Weight, Sum)| u128::from(weight.thousandths());
    let whole: u128 = parts.iter().map(weight).sum();
    if whole == 0 {
        return Score::ONE;
    }
    let exact = parts
        .iter()
        .try_fold((0_u128, 1_u128), |total, part| {
            let (points, own_whole) = part.1.fraction();
            added(total, (weight(part).checked_mul(points)?, own_whole))
        })
        .and_then(|(points, below)| Some(points / below.checked_mul(whole)?));
    let points = exact.unwrap_or_else(|| {
        let floors = parts
            .iter()
            .map(|part| weight(part) * u128::from(part.1.score().basis_points()));
        floors.sum::<u128>() / whole
    });
    rounded_down(points)
}

/// The sum of two fractions over their least common denominator; `None` if it does not fit.
fn added((a, below_a): (u128, u128), (b, below_b): (u128, u128)) -> Option<(u128, u128)> {
    let common = gcd(b, below_b);
    let (b, below_b) = (b / common, below_b / common);
    let times_a = below_b / gcd(below_a, below_b);
    let below = below_a.checked_mul(times_a)?;
    let sum = a.checked_mul(times_a)?.checked_add(b.checked_mul(below / below_b)?)?;
    Some((sum, below))
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

fn rounded_down(points: u128) -> Score {
    Score::from_basis_points(u16::try_from(points).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(weight: u32, points: u32, whole: u32) -> (Weight, Sum) {
        let missing = Weight::whole(whole - points);
        let sum = Sum::default()
            .plus(Weight::whole(points), Score::ONE)
            .plus(missing, Score::ZERO);
        (Weight::whole(weight), sum)
    }

    #[test]
    fn parts_are_added_before_anything_is_rounded() {
        for (parts, points) in [
            (vec![part(1, 1, 3), part(1, 2, 3)], 5_000),
            (vec![part(1, 1, 3), part(1, 1, 6), part(1, 1, 2)], 3_333),
            (vec![part(1, 1, 7), part(1, 2, 11), part(1, 90, 77 + 90)], 2_878),
            (vec![part(1, 1, 1)], 10_000),
            (vec![], 10_000),
        ] {
            assert_eq!(mean(&parts).basis_points(), points, "{parts:?}");
        }
    }

    /// One quarter step of a dimension of 20 % is exactly 0.05, wherever it is taken.
    #[test]
    fn one_anchor_step_of_a_fifth_is_exactly_five_hundredths() {
        let anchors = [2_500, 5_000, 7_500, 10_000].map(Score::from_basis_points);
        let card = |first: Score, rest: Score| {
            let part = |percent, share| (Weight::whole(percent), Sum::default().plus(Weight::whole(1), share));
            mean(&[part(20, first), part(30, rest), part(50, rest)])
        };
        for rest in anchors {
            for step in anchors.windows(2) {
                assert_eq!(card(step[1], rest).delta(card(step[0], rest)), 500);
            }
        }
    }

    #[test]
    fn denominators_that_do_not_fit_round_down() {
        let huge: Vec<(Weight, Sum)> = (0..9)
            .map(|at: u32| {
                let odd = |n: u32| Weight::try_from(f64::from(999_000 - n) + 0.999).unwrap();
                let sum = Sum::default()
                    .plus(odd(at), Score::ONE)
                    .plus(odd(at * 7 + 1), Score::ZERO);
                (odd(at * 3), sum)
            })
            .collect();
        let score = mean(&huge).basis_points();
        assert!((4_998..=5_001).contains(&score), "{score}");
    }
}
