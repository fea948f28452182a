//! Asking judges: fresh, blind and one by one. What comes back is held against the artifact before it counts.

use std::collections::BTreeMap;
use std::sync::Arc;

use onus_checks as checks;
use onus_checks::Judged;
use onus_model::{
    Criterion, CriterionId, Digest, EvaluateAnswer, JudgeControl, Role, Score, Verdict, VerdictKind, VerdictSource,
};
use onus_runners::AgentReply;
use serde_json::Value;

use crate::ask::{Shown, Telling, context};
use crate::checking::side_by_side;
use crate::evaluation::{Subject, count};
use crate::perform::{Call, Job, Trouble, spoken};
use crate::tree::{Stored, commit_exists};
use crate::world::BoundAgent;

/// The most text of a tree that a judge is shown at once.
const PACKET_BYTES_MAX: usize = 512 << 10;

/// What a judge is shown.
#[derive(Debug, Clone)]
pub(crate) enum Packet {
    Document(String),
    /// The files that the criteria read.
    Tree,
}

/// What judges said in one round.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) verdicts: Vec<Verdict>,
    /// Criteria put to judges, controls counted.
    pub(crate) asked: u32,
    pub(crate) transcript: Option<Digest>,
}

/// One question: a judge, what it is asked about, and what it is shown.
#[derive(Clone)]
struct Question {
    judge: usize,
    ids: Vec<CriterionId>,
    shown: Shown,
    /// What kind of work that must not pass, if it is such.
    control: Option<JudgeControl>,
}

impl Job {
    /// The judges of this loop: those it names, or the evaluator.
    fn judges(&self) -> Vec<&BoundAgent> {
        match self.world.judges.as_slice() {
            [] => self.world.agents.get(&Role::Evaluator).into_iter().collect(),
            judges => judges.iter().collect(),
        }
    }

    pub(crate) fn judge_count(&self) -> u32 {
        count(self.judges().len())
    }

    /// Verdicts on what no check decides.
    pub(crate) async fn judge(
        self: &Arc<Self>,
        asked: &[&Criterion],
        subject: &Subject,
        commands: &[(String, bool)],
    ) -> Result<Round, Trouble> {
        if asked.is_empty() {
            return Ok(Round::default());
        }
        if self.judges().is_empty() {
            return Ok(Round {
                verdicts: asked.iter().map(|c| checks::unchecked(c)).collect(),
                ..Round::default()
            });
        }
        let mut round = Round::default();
        let mut questions = Vec::new();
        let batches: Vec<Vec<&Criterion>> = if self.run.spec.judging.one_by_one {
            asked.iter().map(|c| vec![*c]).collect()
        } else {
            vec![asked.to_vec()]
        };
        let prior = self.prior();
        for batch in batches {
            match self.questions(&batch, subject, &prior) {
                Ok(more) => questions.extend(more),
                // Nothing that a judge could be shown: nobody is asked, and nothing passes.
                Err(why) => round.verdicts.extend(batch.iter().map(|c| refused(c, &why))),
            }
        }
        shuffle(&mut questions).map_err(|message| self.error("io", message))?;
        round.asked = count(questions.iter().map(|q| q.ids.len()).sum());
        let jobs = questions.into_iter().map(|question| {
            let job = Arc::clone(self);
            async move {
                let reply = job.put(&question).await;
                (question, reply)
            }
        });
        let replies = side_by_side(jobs).await;
        self.not_cancelled()?;
        self.read_replies(asked, replies, subject, commands, &mut round)?;
        Ok(round)
    }

    /// What each judge is asked about these criteria: the artifact, and where the loop says so work that must not pass.
    fn questions(
        &self,
        batch: &[&Criterion],
        subject: &Subject,
        (scores, details): &(Vec<Score>, Vec<&str>),
    ) -> Result<Vec<Question>, String> {
        let shown = match &subject.packet {
            Packet::Document(text) => Shown::Document(text.clone()),
            Packet::Tree => Shown::Files(checks::packet_files(batch, &subject.files(self), PACKET_BYTES_MAX)?),
        };
        let ids: Vec<CriterionId> = batch.iter().map(|c| c.id.clone()).collect();
        let mut all = Vec::new();
        for judge in 0..self.judges().len() {
            let question = |shown: Shown, control| Question {
                judge,
                ids: ids.clone(),
                shown,
                control,
            };
            all.push(question(shown.clone(), None));
            for control in &self.run.spec.judging.controls {
                let shown = match control {
                    JudgeControl::Empty => shown.map(|_| String::new()),
                    JudgeControl::Hollow => shown.map(checks::hollow),
                    JudgeControl::Twin { path, .. } => {
                        let text = self.world.twins.get(path).cloned().unwrap_or_default();
                        shown.replaced(path, text)
                    }
                };
                all.push(question(shown, Some(control.clone())));
            }
        }
        let packet = self.told(&shown);
        let artifact = shown.text();
        let known = checks::Prior {
            scores,
            details,
            iteration: self.run.iteration,
            self_words: &[],
        };
        match checks::leak(&packet, &artifact, &known) {
            Some(leak) => Err(format!("no judge was asked: {leak}")),
            None => Ok(all),
        }
    }

    /// What a judge is told beside the artifact, the contract's own words and its template, which is older than any score.
    fn told(&self, shown: &Shown) -> String {
        let telling = Telling {
            step: self.task.step,
            rules: &[],
            shown: Some(shown),
            recent: &[],
            fence: "",
            previous_error: self.previous_error.as_deref(),
        };
        let mut input = context(&self.run, &self.world, &telling);
        for own in ["artifact", "files"] {
            input[own] = Value::Null;
        }
        let mut words = String::new();
        gather(&input, &mut words);
        words
    }

    /// Scores and words of earlier evaluations, which no judge may see.
    fn prior(&self) -> (Vec<Score>, Vec<&str>) {
        let last = self.run.evaluation.as_deref();
        let cards = last
            .into_iter()
            .chain(self.run.candidates.iter().map(|c| &*c.scorecard));
        let (mut scores, mut details) = (Vec::new(), Vec::new());
        for card in cards {
            scores.push(card.score);
            let judged = card
                .rule_results
                .iter()
                .filter(|v| v.source == VerdictSource::Evaluator);
            details.extend(judged.map(|v| v.details.as_str()));
        }
        (scores, details)
    }

    /// Puts one question to one judge.
    async fn put(&self, question: &Question) -> Result<AgentReply, Trouble> {
        let judges = self.judges();
        let Some(judge) = judges.get(question.judge) else {
            return Err(self.error("spawn", "a judge is gone".to_owned()).into());
        };
        if let Some(reply) = self.world.answer(&self.key(question)) {
            return Ok(reply);
        }
        let rules: Vec<&Criterion> = self
            .run
            .spec
            .criteria
            .iter()
            .filter(|c| question.ids.contains(&c.id))
            .collect();
        let call = Call {
            role: Role::Evaluator,
            bound: judge,
            rules: &rules,
            shown: Some(&question.shown),
        };
        let _turn = self.world.judge_turns.acquire().await;
        self.ask(call).await
    }

    /// What tells one question from another, also of a later evaluation.
    fn key(&self, question: &Question) -> (u32, String) {
        let (judge, ids, control) = (question.judge, &question.ids, &question.control);
        (self.run.stages_done, format!("{judge} {ids:?} {control:?}"))
    }

    fn read_replies(
        &self,
        asked: &[&Criterion],
        replies: Vec<(Question, Result<AgentReply, Trouble>)>,
        subject: &Subject,
        commands: &[(String, bool)],
        round: &mut Round,
    ) -> Result<(), Trouble> {
        let judges = self.judges();
        let files = subject.files(self);
        let project = &self.world.project;
        let material = checks::Material {
            files: &files,
            commands,
            commit_exists: &|commit| commit_exists(project, commit),
        };
        let mut judged: BTreeMap<usize, Vec<Judged>> = BTreeMap::new();
        let mut fooled: Vec<(usize, JudgeControl)> = Vec::new();
        let mut said = Vec::new();
        let mut trouble = None;
        for (question, reply) in replies {
            let reply = match reply {
                Ok(reply) => reply,
                Err(error) => {
                    trouble.get_or_insert(error);
                    continue;
                }
            };
            let rules: Vec<&Criterion> = asked.iter().copied().filter(|c| question.ids.contains(&c.id)).collect();
            said.extend_from_slice(&spoken(&reply));
            said.push(b'\n');
            let read = match &question.control {
                Some(control) => self.read(&reply, Ok).map(|answer: EvaluateAnswer| {
                    if !checks::passes_claimed(&answer, &rules).is_empty() {
                        fooled.push((question.judge, control.clone()));
                    }
                }),
                None => {
                    let name = judges.get(question.judge).map_or("", |judge| judge.name.as_str());
                    let own = self.read(&reply, |answer| checks::judge(answer, name, &rules, &material));
                    own.map(|own| judged.entry(question.judge).or_default().extend(own))
                }
            };
            match read {
                Ok(()) => self.world.keep_answer(self.key(&question), reply),
                Err(error) => {
                    trouble.get_or_insert(error.into());
                }
            }
        }
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
        round.transcript = self.transcript(&said, b"");
        for (judge, control) in &fooled {
            if let Some(own) = judged.get_mut(judge) {
                *own = checks::void(std::mem::take(own), control);
            }
        }
        let all: Vec<Judged> = judged.into_values().flatten().collect();
        for criterion in asked {
            let own: Vec<Judged> = all.iter().filter(|one| one.id == criterion.id).cloned().collect();
            if own.is_empty() {
                continue;
            }
            let verdict = checks::combine(criterion, own);
            round.verdicts.push(self.converge(criterion, verdict, subject)?);
        }
        Ok(())
    }

    /// A judge that takes back its own word on lines nobody touched does not hold the work up, and one that is asked again
    /// about the same work does not let it through.
    fn converge(&self, criterion: &Criterion, now: Verdict, subject: &Subject) -> Result<Verdict, Trouble> {
        let known = self.run.known.get(&criterion.id);
        let Some(known) = known.filter(|known| known.verdict.source == VerdictSource::Evaluator) else {
            return Ok(now);
        };
        let same = known.verdict.reads_sha256 == Some(checks::reads_digest(criterion, &subject.snapshot));
        let now = if same {
            checks::first_word(&known.verdict, now)
        } else {
            now
        };
        // Only a complaint is held against what was passed before.
        if now.verdict == VerdictKind::Pass {
            return Ok(now);
        }
        let before = self.earlier(&known.artifact_sha256)?;
        let before = Stored {
            places: self.world.places(),
            snapshot: &before,
        };
        let earlier = checks::Earlier {
            verdict: &known.verdict,
            files: &before,
        };
        Ok(checks::converge(criterion, now, Some(earlier), &subject.files(self)))
    }
}

/// Every word of a value, a line each.
fn gather(value: &Value, words: &mut String) {
    match value {
        Value::String(text) => {
            words.push_str(text);
            words.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| gather(value, words)),
        Value::Object(fields) => fields.values().for_each(|value| gather(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn refused(criterion: &Criterion, why: &str) -> Verdict {
    Verdict::bare(criterion.id.clone(), VerdictKind::Fail, why, VerdictSource::Engine)
}

/// Puts questions into an order that tells a judge nothing about which work is the real one.
fn shuffle(questions: &mut [Question]) -> Result<(), String> {
    for last in (1..questions.len()).rev() {
        let mut bytes = [0u8; 8];
        getrandom::fill(&mut bytes).map_err(|error| format!("cannot get random bytes: {error}"))?;
        let at = usize::try_from(u64::from_le_bytes(bytes) % (last as u64 + 1)).unwrap_or(0);
        questions.swap(last, at);
    }
    Ok(())
}
