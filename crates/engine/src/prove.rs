//! Checks that are checked: whether each of a contract's checks can fail at all.
//!
//! The contract is evaluated on the work, on what is left without the work, on the base, and on the work with one change at a
//! time. A check that passes everywhere decides nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onus_checks as checks;
use onus_ledger::{Durability, objects};
use onus_model::{
    Check, CheckKind, Criterion, CriterionId, Digest, FileEntry, Globs, LevelName, LoopSpec, SchemaSource, Snapshot,
    TreePath, VerdictKind,
};
pub use onus_views::check::prove::{Answer, CriterionProof, Proof, Standing, TriedMutant};
use tokio_util::sync::CancellationToken;

use crate::frozen::scripts;
use crate::inspect::{Judged, PassedTests, inspect};
use crate::{EngineError, Project};

/// Every change costs one run of every program that a check starts.
pub const MUTANTS_DEFAULT: usize = 20;

/// More say little more, and are held in memory while they are made.
pub const MUTANTS_MAX: usize = 500;

/// Larger files are data; a person did not write them line by line.
const FILE_BYTES_MAX: u64 = 256 << 10;

/// So many files are looked through for one that a criterion reads and that can be changed.
const LOOKED_AT_MAX: usize = 50;

#[derive(Debug, Clone)]
pub struct ProveOptions {
    pub mutants_max: usize,
    /// Files that are no work, although they lie in the tree: the contract.
    pub not_work: BTreeSet<String>,
}

impl Default for ProveOptions {
    fn default() -> ProveOptions {
        ProveOptions {
            mutants_max: MUTANTS_DEFAULT,
            not_work: BTreeSet::new(),
        }
    }
}

/// What is about to be tried, or has been.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    Work,
    Empty,
    Base,
    Mutant {
        nth: usize,
        of: usize,
        mutant: &'a TriedMutant,
    },
}

/// Evaluates the contract on everything that it should be able to tell apart.
#[allow(clippy::too_many_arguments, reason = "an evaluation, what to try, and who is told")]
pub async fn prove(
    project: &Project,
    spec: &Arc<LoopSpec>,
    contract: Digest,
    level: &LevelName,
    judged: &Judged,
    options: &ProveOptions,
    cancel: &CancellationToken,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<Proof, EngineError> {
    let prover = Prover {
        project,
        contract,
        level,
        base: judged.base.as_ref(),
        cancel,
    };
    let whole = thorough(spec);
    progress(Progress::Work);
    let (artifact, now) = prover.evaluate(&whole, &judged.tree).await?;
    let mut rows = first_rows(spec, level, &now)?;
    let mut notes = Vec::new();
    let mut tried: Vec<TriedMutant> = Vec::new();
    if rows.iter().any(Row::is_open) {
        let not_work = NotWork::of(spec, level, options)?;
        let spared = judged
            .tree
            .files
            .keys()
            .filter(|path| not_work.scripts.contains(path.as_str()));
        notes.extend(spared.map(|path| format!("`{path}` was not changed: a check runs it")));
        prover
            .try_other_trees(&whole, &mut rows, judged, &not_work, &mut notes, progress)
            .await?;
        let changes = changes(project, judged, &not_work, &rows, options.mutants_max.min(MUTANTS_MAX))?;
        if changes.is_empty() {
            notes.push("no file of the work can be changed, so no mutant was tried".to_owned());
        }
        let of = changes.len();
        for (at, change) in changes.into_iter().enumerate() {
            let mutant = prover.try_one(&whole, &mut rows, judged, change, at).await?;
            progress(Progress::Mutant {
                nth: at + 1,
                of,
                mutant: &mutant,
            });
            tried.push(mutant);
        }
    }
    let criteria: Vec<CriterionProof> = rows.into_iter().map(Row::proof).collect();
    let unproven = |proof: &CriterionProof| proof.standing == Standing::NeverFails && proof.on_counterexample.is_none();
    if criteria.iter().any(unproven) {
        notes.push(
            "a check that passes by nature (no secrets, no broken links) is proven by a `counterexample`".to_owned(),
        );
    }
    Ok(Proof {
        contract_sha256: contract,
        artifact_sha256: artifact,
        level: level.clone(),
        criteria,
        mutants: tried,
        notes,
    })
}

/// The contract without the rules by which an evaluation may end early or keep what it knows.
fn thorough(spec: &Arc<LoopSpec>) -> Arc<LoopSpec> {
    let mut whole = LoopSpec::clone(spec);
    whole.evaluation.stop_early = false;
    whole.evaluation.keep_verdicts = false;
    Arc::new(whole)
}

type Answers = BTreeMap<CriterionId, (VerdictKind, String)>;

struct Prover<'a> {
    project: &'a Project,
    contract: Digest,
    level: &'a LevelName,
    base: Option<&'a Snapshot>,
    cancel: &'a CancellationToken,
}

impl Prover<'_> {
    async fn evaluate(&self, spec: &Arc<LoopSpec>, tree: &Snapshot) -> Result<(Digest, Answers), EngineError> {
        let judged = Judged {
            before: PassedTests::new(),
            tree: tree.clone(),
            base: self.base.cloned(),
        };
        let card = inspect(self.project, spec, self.contract, self.level, &judged, self.cancel).await?;
        let answers = card.rule_results.into_iter().map(|v| (v.id, (v.verdict, v.details)));
        Ok((card.artifact_sha256, answers.collect()))
    }

    /// The contract with nothing but the criteria that are asked. Expressions see the results of all others, so with one of
    /// them nothing is left out.
    fn narrowed(&self, whole: &Arc<LoopSpec>, rows: &[Row<'_>], asked: impl Fn(&Row<'_>) -> bool) -> Arc<LoopSpec> {
        let derives = |row: &Row<'_>| {
            row.criterion
                .verify
                .iter()
                .any(|check| matches!(check.kind, CheckKind::Expr(_)))
        };
        if rows.iter().any(derives) {
            return Arc::clone(whole);
        }
        let mut narrowed = LoopSpec::clone(whole);
        let kept = rows.iter().filter(|row| asked(row)).map(|row| &row.criterion.id);
        let kept: BTreeSet<&CriterionId> = kept.collect();
        narrowed.criteria.retain(|criterion| kept.contains(&criterion.id));
        Arc::new(narrowed)
    }

    /// The work taken away, the base, and the bad examples that checks bring along.
    async fn try_other_trees(
        &self,
        whole: &Arc<LoopSpec>,
        rows: &mut [Row<'_>],
        judged: &Judged,
        not_work: &NotWork,
        notes: &mut Vec<String>,
        progress: &mut (dyn FnMut(Progress<'_>) + Send),
    ) -> Result<(), EngineError> {
        let open = self.narrowed(whole, rows, |row| row.is_open());
        progress(Progress::Empty);
        let kept = judged
            .tree
            .files
            .iter()
            .filter(|(path, _)| not_work.holds(path.as_str()));
        let empty = Snapshot {
            files: kept.map(|(path, file)| (path.clone(), *file)).collect(),
            left_out: Vec::new(),
        };
        let (_, answers) = self.evaluate(&open, &empty).await?;
        for row in rows.iter_mut().filter(|row| row.is_open()) {
            row.on_empty = row.answer(&answers);
        }
        if let Some(base) = self.base {
            progress(Progress::Base);
            let (_, answers) = self.evaluate(&open, base).await?;
            for row in rows.iter_mut().filter(|row| row.is_open()) {
                row.on_base = row.answer(&answers);
            }
        }
        for at in 0..rows.len() {
            let (id, examples) = (&rows[at].criterion.id, rows[at].counterexamples());
            let alone = self.narrowed(whole, rows, |row| row.is_open() && row.criterion.id == *id);
            let mut seen = None;
            for (check, text) in examples {
                let Some(path) = example_place(check, &judged.tree, not_work) else {
                    notes.push(format!(
                        "`{id}`: its counterexample was not tried: it reads no file of the work"
                    ));
                    continue;
                };
                let mut tree = judged.tree.clone();
                tree.files.insert(path, stored(self.project, text.as_bytes(), false)?);
                let (_, answers) = self.evaluate(&alone, &tree).await?;
                // Each of them must be noticed.
                seen = match (seen, rows[at].answer(&answers)) {
                    (Some(Answer::Passes), _) => Some(Answer::Passes),
                    (_, answer) => answer,
                };
            }
            rows[at].on_counterexample = seen;
        }
        Ok(())
    }

    async fn try_one(
        &self,
        whole: &Arc<LoopSpec>,
        rows: &mut [Row<'_>],
        judged: &Judged,
        change: Change,
        at: usize,
    ) -> Result<TriedMutant, EngineError> {
        let path = change.path.as_str().to_owned();
        let narrowed = self.narrowed(whole, rows, |row| row.is_open() && row.reads.holds(&path));
        let mut noticed_by = Vec::new();
        if !narrowed.criteria.is_empty() {
            let mut tree = judged.tree.clone();
            tree.files.insert(change.path, change.file);
            let (_, answers) = self.evaluate(&narrowed, &tree).await?;
            for row in rows.iter_mut().filter(|row| row.is_open() && row.reads.holds(&path)) {
                row.tried += 1;
                match row.answer(&answers) {
                    Some(Answer::Fails) => {
                        row.noticed += 1;
                        noticed_by.push(row.criterion.id.clone());
                    }
                    Some(Answer::Passes) | None => row.slipped = row.slipped.or(Some(at)),
                }
            }
        }
        Ok(TriedMutant {
            path,
            line: change.line,
            what: change.what,
            noticed_by,
        })
    }
}

/// A criterion, and what is known about it so far.
struct Row<'a> {
    criterion: &'a Criterion,
    reads: Reads,
    /// Why nothing can be proven about it.
    closed: Option<(Standing, String)>,
    on_empty: Option<Answer>,
    on_base: Option<Answer>,
    on_counterexample: Option<Answer>,
    tried: u32,
    noticed: u32,
    slipped: Option<usize>,
}

impl<'a> Row<'a> {
    /// Bad examples that its checks bring along; none if nothing can be proven anyway.
    fn counterexamples(&self) -> Vec<(&'a CheckKind, &'a str)> {
        let with = |check: &'a Check| Some((&check.kind, check.counterexample.as_deref()?));
        let all = self.criterion.verify.iter().filter(|_| self.is_open());
        all.filter_map(with).collect()
    }

    fn is_open(&self) -> bool {
        self.closed.is_none()
    }

    fn answer(&self, answers: &Answers) -> Option<Answer> {
        let (verdict, _) = answers.get(&self.criterion.id)?;
        Some(match verdict {
            VerdictKind::Pass => Answer::Passes,
            VerdictKind::Fail | VerdictKind::Warn | VerdictKind::Na | VerdictKind::Unverified => Answer::Fails,
        })
    }

    fn proof(self) -> CriterionProof {
        let elsewhere = [self.on_empty, self.on_base, self.on_counterexample];
        let failed = self.noticed > 0 || elsewhere.contains(&Some(Answer::Fails));
        let (standing, why) = self.closed.unwrap_or_else(|| {
            let standing = if failed { Standing::Proven } else { Standing::NeverFails };
            (standing, String::new())
        });
        CriterionProof {
            criterion: self.criterion.clone(),
            standing,
            on_empty: self.on_empty,
            on_base: self.on_base,
            on_counterexample: self.on_counterexample,
            tried: self.tried,
            noticed: self.noticed,
            slipped: self.slipped,
            why,
        }
    }
}

fn first_rows<'a>(spec: &'a LoopSpec, level: &LevelName, now: &Answers) -> Result<Vec<Row<'a>>, EngineError> {
    let mut rows = Vec::new();
    for criterion in spec.active(level) {
        let mut row = Row {
            criterion,
            reads: Reads::of(criterion),
            closed: None,
            on_empty: None,
            on_base: None,
            on_counterexample: None,
            tried: 0,
            noticed: 0,
            slipped: None,
        };
        let asks = criterion
            .verify
            .iter()
            .any(|check| matches!(check.kind, CheckKind::Human(_)));
        row.closed = if criterion.verify.is_empty() {
            Some((Standing::NotTried, "it has no check of its own".to_owned()))
        } else if asks {
            Some((Standing::NotTried, "only a person can decide it".to_owned()))
        } else if row.answer(now) != Some(Answer::Passes) {
            let why = now.get(&criterion.id).map(|(_, why)| why.clone());
            Some((
                Standing::Failing,
                why.unwrap_or_else(|| "no verdict was given".to_owned()),
            ))
        } else {
            None
        };
        rows.push(row);
    }
    let tried = |row: &Row<'_>| !matches!(row.closed, Some((Standing::NotTried, _)));
    if rows.iter().any(tried) {
        Ok(rows)
    } else {
        Err(EngineError::Configuration(format!(
            "nothing can be proven: no criterion of level `{level}` has a check that a program decides"
        )))
    }
}

type PathTest = Box<dyn Fn(&str) -> bool + Send + Sync>;

fn path_test(globs: Vec<String>) -> Result<PathTest, String> {
    if globs.is_empty() {
        return Ok(Box::new(|_| false));
    }
    let set = checks::compile_globs(&Globs(globs))?;
    Ok(Box::new(move |path| set.is_match(path)))
}

/// What the checks of a criterion look at.
struct Reads {
    /// Absent: everything.
    only: Option<PathTest>,
}

impl Reads {
    fn of(criterion: &Criterion) -> Reads {
        let mut globs = Vec::new();
        for check in &criterion.verify {
            match read_by(&check.kind, criterion.reads.as_ref()) {
                Some(read) => globs.extend(read),
                None => return Reads { only: None },
            }
        }
        // Globs that cannot be used make a check that could not run; nothing is spared because of them.
        Reads {
            only: path_test(globs).ok(),
        }
    }

    fn holds(&self, path: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only(path))
    }
}

/// The files that decide a check; absent: any may. A program may read everything, unless the contract says what decides.
fn read_by(kind: &CheckKind, declared: Option<&Globs>) -> Option<Vec<String>> {
    match kind {
        CheckKind::Executable { .. } | CheckKind::Tests(_) | CheckKind::Lint(_) | CheckKind::Metric(_) => {
            declared.map(|globs| globs.0.clone())
        }
        CheckKind::Coverage(check) if check.command.is_none() => Some(vec![check.report.clone()]),
        CheckKind::Coverage(_) => declared.map(|globs| globs.0.clone()),
        CheckKind::Pattern(check) => Some(check.files.0.clone()),
        CheckKind::Schema(check) => {
            let mut globs = check.files.0.clone();
            if let SchemaSource::Path(path) = &check.schema {
                globs.push(path.clone());
            }
            Some(globs)
        }
        CheckKind::Marker(check) => Some(check.files.0.clone()),
        CheckKind::Artifact(check) => Some(check.files.0.clone()),
        CheckKind::Openapi(check) => Some(check.files.0.clone()),
        CheckKind::Links(check) => Some(check.files.0.clone()),
        CheckKind::Intent(check) => Some(check.files.0.clone()),
        CheckKind::Content { .. } | CheckKind::Diff(_) | CheckKind::Expr(_) | CheckKind::Human(_) => None,
    }
}

/// Files that belong to the checks and not to the work: they stay when the work is taken away, and are never changed.
struct NotWork {
    protected: PathTest,
    named: BTreeSet<String>,
    scripts: BTreeSet<String>,
}

impl NotWork {
    fn of(spec: &LoopSpec, level: &LevelName, options: &ProveOptions) -> Result<NotWork, EngineError> {
        let protected = path_test(spec.protected.clone())
            .map_err(|problem| EngineError::Configuration(format!("`protected`: {problem}")))?;
        let commands = spec
            .active(level)
            .flat_map(|criterion| &criterion.verify)
            .filter_map(|check| match &check.kind {
                CheckKind::Executable { command, .. } => Some(command),
                CheckKind::Tests(check) => Some(&check.command),
                CheckKind::Lint(check) => Some(&check.command),
                CheckKind::Metric(check) => Some(&check.command),
                CheckKind::Coverage(check) => check.command.as_ref(),
                CheckKind::Content { .. }
                | CheckKind::Pattern(_)
                | CheckKind::Schema(_)
                | CheckKind::Marker(_)
                | CheckKind::Artifact(_)
                | CheckKind::Diff(_)
                | CheckKind::Openapi(_)
                | CheckKind::Links(_)
                | CheckKind::Intent(_)
                | CheckKind::Expr(_)
                | CheckKind::Human(_) => None,
            });
        let scripts: BTreeSet<String> = commands.flat_map(scripts).map(str::to_owned).collect();
        Ok(NotWork {
            // What is protected or a test says so by itself.
            scripts: scripts
                .into_iter()
                .filter(|path| !protected(path) && !onus_mutants::is_test(path))
                .collect(),
            protected,
            named: options.not_work.clone(),
        })
    }

    fn holds(&self, path: &str) -> bool {
        (self.protected)(path)
            || self.named.contains(path)
            || self.scripts.contains(path)
            || onus_mutants::is_test(path)
    }
}

/// Where a bad example goes: instead of the first file of the work that the check reads, or where the check names a file.
fn example_place(kind: &CheckKind, tree: &Snapshot, not_work: &NotWork) -> Option<TreePath> {
    let globs = read_by(kind, None);
    let test = globs.clone().map(path_test).transpose().ok()?;
    let read = |path: &TreePath| test.as_ref().is_none_or(|test| test(path.as_str()));
    let found = tree
        .files
        .keys()
        .find(|path| read(path) && !not_work.holds(path.as_str()));
    let named = || {
        globs
            .iter()
            .flatten()
            .find(|glob| !glob.contains(['*', '?', '[', '{', '\\']))
    };
    found.cloned().or_else(|| TreePath::new(named()?.as_str()).ok())
}

fn stored(project: &Project, bytes: &[u8], executable: bool) -> Result<FileEntry, EngineError> {
    Ok(FileEntry {
        sha256: objects::put(&project.places, bytes, Durability::Relaxed)?,
        bytes: bytes.len() as u64,
        executable,
    })
}

/// One file of the work, changed and stored.
struct Change {
    path: TreePath,
    line: u32,
    what: String,
    file: FileEntry,
}

/// At most `max` changes: of what the work changed before what it left, of code before other texts, and at least one that
/// each criterion reads, as far as there are so many.
fn changes(
    project: &Project,
    judged: &Judged,
    not_work: &NotWork,
    rows: &[Row<'_>],
    max: usize,
) -> Result<Vec<Change>, EngineError> {
    let places = &project.places;
    let text_of = |path: &TreePath| -> Option<String> {
        let file = judged.tree.files.get(path)?;
        String::from_utf8(objects::get(places, &file.sha256, FILE_BYTES_MAX).ok()?).ok()
    };
    let mut candidates: Vec<(u8, &TreePath)> = Vec::new();
    for (path, file) in &judged.tree.files {
        let is_as_before = judged
            .base
            .as_ref()
            .is_some_and(|base| base.files.get(path) == Some(file));
        let rank = 2 * u8::from(is_as_before) + u8::from(!onus_mutants::is_code(path.as_str()));
        if file.bytes <= FILE_BYTES_MAX && !not_work.holds(path.as_str()) {
            candidates.push((rank, path));
        }
    }
    let limited = rows.iter().filter(|row| row.is_open() && row.reads.only.is_some());
    let limited: Vec<&Reads> = limited.map(|row| &row.reads).collect();
    // Beside code, words for people matter only to a check that names them: no program reads them.
    let has_code = candidates.iter().any(|(_, path)| onus_mutants::is_code(path.as_str()));
    let is_read = |path: &str| limited.iter().any(|reads| reads.holds(path));
    candidates.retain(|(_, path)| !(has_code && onus_mutants::is_prose(path.as_str())) || is_read(path.as_str()));
    candidates.sort();
    let mut changes = Vec::new();
    let available =
        |path: &TreePath| text_of(path).map_or(0, |text| onus_mutants::mutants(path.as_str(), &text, max).len());
    let shares = shares(&candidates, &limited, max, available);
    for (path, share) in candidates.iter().filter_map(|(_, path)| shares.get_key_value(path)) {
        let (Some(text), Some(old)) = (text_of(path), judged.tree.files.get(*path)) else {
            continue;
        };
        for mutant in onus_mutants::mutants(path.as_str(), &text, *share) {
            changes.push(Change {
                path: (*path).clone(),
                line: mutant.line,
                what: mutant.what,
                file: stored(project, mutant.text.as_bytes(), old.executable)?,
            });
        }
    }
    Ok(changes)
}

/// How many changes each file gets.
fn shares<'a>(
    candidates: &[(u8, &'a TreePath)],
    limited: &[&Reads],
    max: usize,
    available: impl Fn(&TreePath) -> usize,
) -> BTreeMap<&'a TreePath, usize> {
    let mut shares: BTreeMap<&TreePath, usize> = BTreeMap::new();
    let mut left = max;
    for reads in limited {
        if left == 0 || shares.keys().any(|path| reads.holds(path.as_str())) {
            continue;
        }
        let read = candidates
            .iter()
            .map(|(_, path)| *path)
            .filter(|path| reads.holds(path.as_str()));
        if let Some(path) = read.take(LOOKED_AT_MAX).find(|path| available(path) > 0) {
            shares.insert(path, 1);
            left -= 1;
        }
    }
    for group in candidates.chunk_by(|(rank, _), (other, _)| rank == other) {
        // One for each is the least, so more files than changes are thinned out evenly.
        let taken = group.len().min(left);
        let files = (0..taken).map(|nth| group[(2 * nth + 1) * group.len() / (2 * taken)].1);
        let mut room: Vec<(&TreePath, usize)> = files
            .map(|path| {
                (
                    path,
                    available(path).saturating_sub(shares.get(path).copied().unwrap_or_default()),
                )
            })
            .collect();
        while left > 0 && room.iter().any(|(_, room)| *room > 0) {
            for (path, room) in room.iter_mut().filter(|(_, room)| *room > 0) {
                if left > 0 {
                    *shares.entry(path).or_default() += 1;
                    *room -= 1;
                    left -= 1;
                }
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use onus_model::{Check, PatternCheck, PatternRule, Search};

    use super::*;

    fn reading(globs: &[&str]) -> Reads {
        Reads {
            only: Some(path_test(globs.iter().map(|glob| (*glob).to_owned()).collect()).unwrap()),
        }
    }

    #[test]
    fn changes_are_shared_out_by_what_matters() {
        let paths: Vec<TreePath> = ["a.py", "b.py", "c.md", "d.py"]
            .iter()
            .map(|p| TreePath::new(*p).unwrap())
            .collect();
        let candidates: Vec<(u8, &TreePath)> = [0, 0, 1, 2].into_iter().zip(&paths).collect();
        let has = |path: &TreePath| match path.as_str() {
            "a.py" => 1,
            "c.md" => 5,
            _ => 10,
        };
        let told = |limited: &[&Reads], max: usize| -> Vec<(String, usize)> {
            let shares = shares(&candidates, limited, max, has);
            shares
                .into_iter()
                .map(|(path, share)| (path.to_string(), share))
                .collect()
        };
        let share = |path: &str, share: usize| (path.to_owned(), share);
        assert_eq!(told(&[], 4), [share("a.py", 1), share("b.py", 3)]);
        assert_eq!(told(&[], 1), [share("b.py", 1)]);
        assert_eq!(told(&[], 13), [share("a.py", 1), share("b.py", 10), share("c.md", 2)]);
        let (documents, code, none) = (reading(&["*.md"]), reading(&["d.py"]), reading(&["x/**"]));
        assert_eq!(
            told(&[&documents], 3),
            [share("a.py", 1), share("b.py", 1), share("c.md", 1)]
        );
        assert_eq!(
            told(&[&documents, &code, &none], 2),
            [share("c.md", 1), share("d.py", 1)]
        );
        assert_eq!(told(&[], 100).iter().map(|(_, share)| share).sum::<usize>(), 26);
        assert!(told(&[&documents], 0).is_empty());
    }

    #[test]
    fn a_criterion_reads_what_all_its_checks_read() {
        let pattern = |files: &str| {
            Check::new(CheckKind::Pattern(PatternCheck {
                search: Search::Regex("x".to_owned()),
                files: Globs(vec![files.to_owned()]),
                rule: PatternRule::Required,
            }))
        };
        let program = Check::new(CheckKind::Executable {
            command: onus_model::CommandLine::Shell("true".to_owned()),
            expected: onus_model::ExpectedRun::default(),
        });
        let mut criterion = Criterion::new(CriterionId::new("a.x").unwrap(), LevelName::new("A").unwrap());
        for (verify, declared, read, unread) in [
            (vec![pattern("*.md")], None, "a.md", Some("a.py")),
            (vec![pattern("*.md"), pattern("src/**")], None, "src/a.py", Some("a.py")),
            (vec![pattern("*.md"), program.clone()], None, "a.py", None),
            (vec![program.clone()], Some("src/**"), "src/a.py", Some("a.py")),
            (vec![pattern("../*")], None, "a.py", None),
        ] {
            criterion.verify = verify;
            criterion.reads = declared.map(|glob| Globs(vec![glob.to_owned()]));
            let reads = Reads::of(&criterion);
            assert!(reads.holds(read), "{read}");
            assert!(unread.is_none_or(|path| !reads.holds(path)), "{unread:?}");
        }
    }
}
