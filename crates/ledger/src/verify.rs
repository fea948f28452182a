//! Verifying a run from the outside: every event, seal, head, recorded object and the artifact, at the speed of the hash.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use onus_model::{Alias, Digest, FileEntry};
use serde::Deserialize;

use crate::disk;
use crate::error::{Cause, Damage, LedgerError};
use crate::lock::holder;
use crate::places::Places;
use crate::read::{Authenticity, HeadState};
use crate::scan::{Torn, survey};

/// A report is for people; the first thousand problems say enough.
const PROBLEMS_MAX: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Events in an unbroken chain, and the bytes they take.
    pub events: u64,
    pub bytes: u64,
    pub last_hash: Digest,
    pub authenticity: Authenticity,
    pub head: HeadState,
    /// Distinct recorded artifacts that were looked for.
    pub objects: u64,
    /// A process works on the run, so its artifact and last line may be on their way.
    pub live: bool,
    pub problems: Vec<Problem>,
}

impl Report {
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Something that is not as it was recorded, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub seq: Option<u64>,
    pub offset: Option<u64>,
    pub kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProblemKind {
    #[error("{0}")]
    Damaged(Cause),
    #[error("the last line is cut short after {} bytes", .0.bytes_dropped)]
    Torn(Torn),
    #[error("this machine has no key to authenticate the events")]
    NoKey,
    #[error("the event was not sealed with this machine's key")]
    Forged,
    #[error("event {head_seq} was recorded, but the history ends at event {last_seq}")]
    RolledBack { head_seq: u64, last_seq: u64 },
    #[error("another event was recorded in this place")]
    HeadDiffers,
    #[error("the recorded artifact `{0}` is not among the objects")]
    ObjectMissing(Digest),
    #[error("the recorded artifact `{wanted}` has the content `{found}`")]
    ObjectDamaged { wanted: Digest, found: Digest },
    #[error("`artifact.md` is missing; the recorded one is `{0}`")]
    ArtifactMissing(Digest),
    #[error("`artifact.md` has the content `{found}`; the recorded one is `{wanted}`")]
    ArtifactDiffers { wanted: Digest, found: Digest },
    #[error("cannot read {what}: {error}")]
    Unreadable { what: String, error: String },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seq) = self.seq {
            write!(f, "event {seq}")?;
            if let Some(offset) = self.offset {
                write!(f, " (byte {offset})")?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{}", self.kind)
    }
}

/// Where an artifact was recorded.
struct Recorded {
    digest: Digest,
    seq: u64,
    offset: u64,
}

/// Reads a run's whole memory once. Problems are a result; an error is that it could not be read at all.
pub fn verify(places: &Places, alias: &Alias) -> Result<Report, LedgerError> {
    let live = holder(places, alias)?.is_some();
    let mut seen = HashSet::new();
    let mut recorded: Vec<Recorded> = Vec::new();
    let mut newest = None;
    let mut of_trees = false;
    let survey = survey(places, alias, |line, offset, _| {
        if line.event() == Some("run_started") {
            of_trees = is_of_trees(line.text);
        }
        if let Some("artifact_created" | "refinement_done" | "artifact_restored") = line.event() {
            let digest = artifact_of(line.text)?;
            newest = Some((digest, line.seq));
            if seen.insert(digest) {
                let seq = line.seq;
                recorded.push(Recorded { digest, seq, offset });
            }
        }
        Ok(())
    })?;
    if survey.is_foreign() {
        return Err(LedgerError::Foreign(alias.clone()));
    }
    let mut report = Report {
        events: survey.last.seq,
        bytes: survey.bytes,
        last_hash: survey.last.hash,
        authenticity: survey.authenticity,
        head: survey.head,
        objects: recorded.len() as u64,
        live,
        problems: Vec::new(),
    };
    report.note_history(survey.damage, survey.torn, survey.forged_at);
    for object in recorded {
        let problem = check_object(places, &object.digest);
        let sound = problem.is_none();
        report.note(Some(object.seq), Some(object.offset), problem);
        if of_trees && sound {
            for file in files_of(places, &object.digest) {
                if seen.insert(file) {
                    report.objects += 1;
                    report.note(Some(object.seq), Some(object.offset), check_object(places, &file));
                }
            }
        }
    }
    // Beside a run of trees lies only a list for people.
    if let Some((digest, seq)) = newest
        && !live
        && !of_trees
    {
        report.note(Some(seq), None, check_artifact(places, alias, digest));
    }
    Ok(report)
}

impl Report {
    fn note(&mut self, seq: Option<u64>, offset: Option<u64>, kind: Option<ProblemKind>) {
        if let Some(kind) = kind
            && self.problems.len() < PROBLEMS_MAX
        {
            self.problems.push(Problem { seq, offset, kind });
        }
    }

    fn note_history(&mut self, damage: Option<Damage>, torn: Option<Torn>, forged_at: Option<u64>) {
        match self.authenticity {
            Authenticity::Sealed => {}
            Authenticity::NoKey => self.note(None, None, Some(ProblemKind::NoKey)),
            Authenticity::Forged { seq } => self.note(Some(seq), forged_at, Some(ProblemKind::Forged)),
        }
        if let Some(damage) = damage {
            self.note(
                Some(damage.seq),
                Some(damage.offset),
                Some(ProblemKind::Damaged(damage.cause)),
            );
        }
        if let Some(torn) = torn.filter(|_| !self.live) {
            self.note(Some(self.events + 1), Some(self.bytes), Some(ProblemKind::Torn(torn)));
        }
        match self.head {
            HeadState::RolledBack { head_seq, last_seq } => {
                self.note(None, None, Some(ProblemKind::RolledBack { head_seq, last_seq }));
            }
            HeadState::Differs { seq } => self.note(Some(seq), None, Some(ProblemKind::HeadDiffers)),
            HeadState::Newest | HeadState::Behind { .. } | HeadState::Absent => {}
        }
    }
}

fn artifact_of(text: &[u8]) -> Result<Digest, Cause> {
    #[derive(Deserialize)]
    struct Line {
        payload: Payload,
    }
    #[derive(Deserialize)]
    struct Payload {
        artifact_sha256: Digest,
    }
    let line: Line = serde_json::from_slice(text).map_err(|e| Cause::Record(e.to_string()))?;
    Ok(line.payload.artifact_sha256)
}

/// Whether the run's artifacts are trees of files.
fn is_of_trees(text: &[u8]) -> bool {
    let line: Option<serde_json::Value> = serde_json::from_slice(text).ok();
    line.is_some_and(|line| line["payload"]["spec"]["artifact"] == "tree")
}

/// The files of a stored tree.
fn files_of(places: &Places, tree: &Digest) -> Vec<Digest> {
    let bytes = crate::objects::get(places, tree, u64::MAX).unwrap_or_default();
    let files: BTreeMap<String, FileEntry> = serde_json::from_slice(&bytes).unwrap_or_default();
    files.into_values().map(|file| file.sha256).collect()
}

fn check_object(places: &Places, wanted: &Digest) -> Option<ProblemKind> {
    let wanted = *wanted;
    match disk::digest_file(&places.object(&wanted)) {
        Ok(Some(found)) if found == wanted => None,
        Ok(Some(found)) => Some(ProblemKind::ObjectDamaged { wanted, found }),
        Ok(None) => Some(ProblemKind::ObjectMissing(wanted)),
        Err(e) => Some(unreadable(format!("object `{wanted}`"), &e)),
    }
}

fn check_artifact(places: &Places, alias: &Alias, wanted: Digest) -> Option<ProblemKind> {
    match disk::digest_file(&places.artifact(alias)) {
        Ok(Some(found)) if found == wanted => None,
        Ok(Some(found)) => Some(ProblemKind::ArtifactDiffers { wanted, found }),
        Ok(None) => Some(ProblemKind::ArtifactMissing(wanted)),
        Err(e) => Some(unreadable("`artifact.md`".to_owned(), &e)),
    }
}

fn unreadable(what: String, error: &LedgerError) -> ProblemKind {
    let source = std::error::Error::source(error);
    let error = source.map_or_else(|| error.to_string(), ToString::to_string);
    ProblemKind::Unreadable { what, error }
}

#[cfg(test)]
mod tests;
