//! Judges: what agents say where no check decides. Their words are held against what was asked, against what the engine
//! saw, and against each other; what they add up to is `machine`'s to decide.

mod claim;
mod controls;
mod converge;
mod hollow;
mod leak;
mod packet;
mod plain;

use std::collections::HashMap;

use onus_model::{
    Claim, Criterion, CriterionId, EvaluateAnswer, Evidence, Finding, FindingLevel, RuleResult, Score, Verdict,
    VerdictKind, VerdictSource, Vote,
};

use self::claim::{Place, Seen, Texts};
use crate::answer::{AnswerError, not_asked};
use crate::evaluate::closed;
use crate::text::{DETAILS_CHARS_MAX, MESSAGE_CHARS_MAX, clip, is_blank};
use crate::{FINDINGS_MAX, Files};

pub use controls::{passes_claimed, void};
pub use converge::{Earlier, converge, first_word};
pub use hollow::hollow;
pub use leak::{Leak, LeakPlace, Prior, leak};
pub use packet::packet_files;

/// Claims that one verdict may rest on; a person reads them.
const CLAIMS_MAX: usize = 50;

/// What judges were shown, and what the engine itself did in this evaluation.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The snapshot as judged; a loop over one file has exactly one path.
    pub files: &'a dyn Files,
    /// Commands of the contract's checks that ran in this evaluation, and whether their check passed.
    pub commands: &'a [(String, bool)],
    pub commit_exists: &'a dyn Fn(&str) -> bool,
}

/// One judge's word on one criterion, after its evidence was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub id: CriterionId,
    pub vote: Vote,
    /// What held.
    pub evidence: Vec<Evidence>,
    /// Where, if it does not pass.
    pub findings: Vec<Finding>,
}

/// One judge's answer held against what was asked. It must have one result for each criterion and none beside; evidence and
/// anchors must have the right form. What does not refuses the whole answer, and the judge is asked once more. A pass
/// needs evidence that holds, and none that the engine saw otherwise.
pub fn judge(
    answer: EvaluateAnswer,
    judge: &str,
    asked: &[&Criterion],
    material: &Material<'_>,
) -> Result<Vec<Judged>, AnswerError> {
    let mut given = one_for_each(answer, asked)?;
    let mut texts = Texts::new(material);
    let mut judged = Vec::with_capacity(asked.len());
    for criterion in asked {
        if let Some((at, result)) = given.remove(&criterion.id) {
            judged.push(weigh(
                result,
                &format!("rule_results[{at}]"),
                judge,
                criterion,
                &mut texts,
            )?);
        }
    }
    Ok(judged)
}

/// Results by criterion, each with its number in the answer. The ids must be exactly those that were asked about.
fn one_for_each(
    answer: EvaluateAnswer,
    asked: &[&Criterion],
) -> Result<HashMap<CriterionId, (usize, RuleResult)>, AnswerError> {
    let mut given = HashMap::new();
    for (at, result) in answer.rule_results.into_iter().enumerate() {
        let refuse = |problem| Err(AnswerError::refused(format!("rule_results[{at}].id"), problem));
        if !asked.iter().any(|c| c.id == result.id) {
            return refuse(not_asked(&result.id));
        }
        if given.contains_key(&result.id) {
            return refuse(format!("`{}` has a verdict already", result.id));
        }
        given.insert(result.id.clone(), (at, result));
    }
    let missing = asked.iter().filter(|c| !given.contains_key(&c.id));
    let missing: Vec<&str> = missing.map(|c| c.id.as_str()).collect();
    if missing.is_empty() {
        Ok(given)
    } else {
        let names = clip(&missing.join("`, `"), MESSAGE_CHARS_MAX);
        Err(AnswerError::refused(
            "rule_results",
            format!("has no verdict for `{names}`"),
        ))
    }
}

fn weigh(
    result: RuleResult,
    at: &str,
    judge: &str,
    criterion: &Criterion,
    texts: &mut Texts<'_>,
) -> Result<Judged, AnswerError> {
    let anchor = anchor(&result, at, criterion)?;
    let claims = claims(&result, at)?;
    let claimed = claimed(result.verdict, anchor, criterion);

    let mut proof = Proof::default();
    for claim in &claims {
        proof.add(texts.look(claim, claimed.0 == VerdictKind::Pass));
    }
    let fabricated = proof.contradicted.is_some();
    let (verdict, doubt) = proof.decide(claimed);
    let said = result.details.trim();
    let details = match doubt {
        None => said.to_owned(),
        Some(doubt) if said.is_empty() => doubt,
        Some(doubt) => format!("{doubt}: {said}"),
    };
    let details = clip(&details, DETAILS_CHARS_MAX);
    Ok(Judged {
        id: result.id,
        findings: complaints(verdict, &details, proof.places),
        evidence: proof.evidence,
        vote: Vote {
            judge: judge.to_owned(),
            verdict,
            anchor,
            details,
            fabricated,
        },
    })
}

/// The anchor that decides: needed where there is a rubric, and one of its own; ignored where there is none.
fn anchor(result: &RuleResult, at: &str, criterion: &Criterion) -> Result<Option<Score>, AnswerError> {
    if criterion.rubric.is_empty() {
        return Ok(None);
    }
    let scores: Vec<String> = criterion.rubric.iter().map(|anchor| anchor.score.to_string()).collect();
    let scores = scores.join(", ");
    let problem = match result.anchor {
        Some(anchor) if criterion.rubric.iter().any(|a| a.score == anchor) => return Ok(Some(anchor)),
        Some(anchor) => format!("{anchor} is none of the anchors of `{}`: {scores}", criterion.id),
        None => format!(
            "is missing; `{}` is judged by its rubric, so give one of {scores}",
            criterion.id
        ),
    };
    Err(AnswerError::refused(format!("{at}.anchor"), problem))
}

/// All evidence of one result, each piece in a form that can be looked at.
fn claims(result: &RuleResult, at: &str) -> Result<Vec<Claim>, AnswerError> {
    let count = result.evidence.len();
    if count > CLAIMS_MAX {
        let problem = format!("has {count} pieces, at most {CLAIMS_MAX} are allowed");
        return Err(AnswerError::refused(format!("{at}.evidence"), problem));
    }
    for (number, claim) in result.evidence.iter().enumerate() {
        if let Some((field, problem)) = claim::malformed(claim) {
            return Err(AnswerError::refused(
                format!("{at}.evidence[{number}].{field}"),
                problem,
            ));
        }
    }
    let quote = result.quote.iter().filter(|quote| !is_blank(quote));
    let quote = quote.map(|quote| Claim::Quote {
        quote: quote.clone(),
        path: None,
        line: None,
    });
    Ok(quote.chain(result.evidence.iter().cloned()).collect())
}

/// What the judge says before its evidence is looked at. With a rubric the anchor decides, but a word that is no pass counts.
fn claimed(word: VerdictKind, anchor: Option<Score>, criterion: &Criterion) -> (VerdictKind, Option<String>) {
    let bar = criterion.passes_at();
    match (word, anchor) {
        (VerdictKind::Na, _) => (
            VerdictKind::Fail,
            Some("`na` is for the contract to declare, not for the evaluator".to_owned()),
        ),
        (_, Some(anchor)) if anchor < bar => (
            VerdictKind::Fail,
            Some(format!("the anchor is {anchor}, and it holds at {bar}")),
        ),
        // What a `warn` means for a criterion depends on its severity; the scorecard settles that.
        (VerdictKind::Pass | VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Unverified, _) => (word, None),
    }
}

/// What a judge's evidence came to.
#[derive(Default)]
struct Proof {
    evidence: Vec<Evidence>,
    places: Vec<Place>,
    nothing: Option<String>,
    contradicted: Option<String>,
}

impl Proof {
    fn add(&mut self, seen: Seen) {
        match seen {
            Seen::Holds { evidence, place } => {
                self.evidence.push(evidence);
                self.places.extend(place);
            }
            Seen::Nothing(why) => {
                self.nothing.get_or_insert(why);
            }
            Seen::Contradicted(why) => {
                self.contradicted.get_or_insert(why);
            }
        }
    }

    /// The verdict that is left, and what is to be said before the judge's own words.
    fn decide(&self, (claimed, doubt): (VerdictKind, Option<String>)) -> (VerdictKind, Option<String>) {
        let unverified = |why: String| (VerdictKind::Unverified, Some(why));
        match (claimed, &self.contradicted, &self.nothing) {
            (VerdictKind::Pass, Some(why), _) => unverified(format!("passed on {why}")),
            (VerdictKind::Pass, None, _) if !self.evidence.is_empty() => (claimed, doubt),
            (VerdictKind::Pass, None, Some(why)) => unverified(format!("passed on {why}")),
            (VerdictKind::Pass, None, None) => unverified("passed without a quote or other evidence".to_owned()),
            (_, Some(why), _) => {
                let ahead = doubt.map_or_else(String::new, |doubt| format!("{doubt}; "));
                (claimed, Some(format!("{ahead}part of its evidence is {why}")))
            }
            (_, None, _) => (claimed, doubt),
        }
    }
}

/// Where a complaint points, so that people and refiners see it.
fn complaints(verdict: VerdictKind, details: &str, places: Vec<Place>) -> Vec<Finding> {
    let level = match verdict {
        VerdictKind::Fail => FindingLevel::Error,
        VerdictKind::Warn => FindingLevel::Warning,
        VerdictKind::Pass | VerdictKind::Na | VerdictKind::Unverified => return Vec::new(),
    };
    let finding = |place: Place| Finding {
        path: place.path,
        line: Some(place.line),
        level,
        message: clip(details, MESSAGE_CHARS_MAX),
    };
    places.into_iter().map(finding).collect()
}

/// All judges' words on one criterion. One that is no pass is enough for it not to hold; it is unverified only if no judge
/// plainly fails it. What the verdict rests on is what speaks for it: the evidence of the judges that say so.
pub fn combine(criterion: &Criterion, judged: Vec<Judged>) -> Verdict {
    let judged: Vec<Judged> = judged.into_iter().filter(|word| word.id == criterion.id).collect();
    // From the worst to the best.
    let order = [
        VerdictKind::Fail,
        VerdictKind::Na,
        VerdictKind::Unverified,
        VerdictKind::Warn,
        VerdictKind::Pass,
    ];
    let said = |kind: &VerdictKind| judged.iter().any(|word| word.vote.verdict == *kind);
    let verdict = match order.into_iter().find(said) {
        None => return closed(criterion, "no judge gave a verdict"),
        Some(VerdictKind::Na) => VerdictKind::Fail,
        Some(kind) => kind,
    };
    let passes = verdict == VerdictKind::Pass;
    let lowest = judged.iter().filter_map(|word| word.vote.anchor).min();
    let details = told(&judged);
    let votes = judged.iter().map(|word| word.vote.clone()).collect();
    let (mut evidence, mut findings) = (Vec::new(), Vec::new());
    let speaking: Vec<Judged> = judged
        .into_iter()
        .filter(|word| passes || word.vote.verdict != VerdictKind::Pass)
        .collect();
    let alone = speaking.len() == 1;
    for word in speaking {
        // Beside others that point somewhere, a complaint about the whole must not get lost.
        if !passes && !alone && word.findings.is_empty() {
            findings.push(Finding {
                path: None,
                line: None,
                level: FindingLevel::Error,
                message: clip(&word.vote.details, MESSAGE_CHARS_MAX),
            });
        }
        evidence.extend(word.evidence);
        findings.extend(word.findings);
    }
    findings.truncate(FINDINGS_MAX);
    Verdict {
        evidence,
        findings,
        // A verdict that did not follow from the anchors gives no credit for them.
        anchor: lowest.filter(|anchor| (*anchor >= criterion.passes_at()) == passes),
        votes,
        ..Verdict::bare(criterion.id.clone(), verdict, details, VerdictSource::Evaluator)
    }
}

/// One judge's own words; of several, how many pass and what the others say.
fn told(judged: &[Judged]) -> String {
    let passing = |word: &&Judged| word.vote.verdict == VerdictKind::Pass;
    let passes = judged.iter().filter(passing).count();
    let details = match judged {
        [only] => only.vote.details.clone(),
        _ => {
            let speaking = judged
                .iter()
                .filter(|word| passes == judged.len() || !passing(word))
                .map(|word| format!("{}: {}", word.vote.judge, word.vote.details));
            let mut parts = vec![format!("{passes} of {} judges pass", judged.len())];
            parts.extend(speaking);
            parts.join("; ")
        }
    };
    clip(&details, DETAILS_CHARS_MAX)
}

#[cfg(test)]
mod tests;
