//! Walks a history once, in constant memory, and says how far it can be trusted. Decides nothing.

use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use onus_model::{Alias, Digest, RunId};

use crate::disk;
use crate::error::{Attempt as _, Cause, Damage, LedgerError, Unvouched};
use crate::head::{self, Mark};
use crate::key::Key;
use crate::line::{GENESIS, LINE_BYTES_MAX, Line, hex};
use crate::places::Places;
use crate::read::{Authenticity, HeadState};

/// Fewer, larger reads; the hash is the cost that remains.
const BUFFER_BYTES: usize = 256 << 10;

/// A last line without its line end: a write that was cut short and never acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    pub bytes_dropped: u64,
    pub dropped_sha256: Digest,
}

/// How far a history can be trusted.
pub(crate) struct Survey {
    /// The run all events belong to, known from the first.
    pub(crate) run_id: Option<RunId>,
    /// Events that stand in an unbroken chain, and the bytes they take.
    pub(crate) last: Mark,
    pub(crate) bytes: u64,
    pub(crate) torn: Option<Torn>,
    pub(crate) damage: Option<Damage>,
    pub(crate) authenticity: Authenticity,
    /// The byte where [`Authenticity::Forged`] begins.
    pub(crate) forged_at: Option<u64>,
    pub(crate) head: HeadState,
    /// The first line is another tool's.
    foreign: bool,
}

/// Walks a run's history. `visit` sees every line that continues the chain; an error from it is damage.
pub(crate) fn survey(
    places: &Places,
    alias: &Alias,
    visit: impl FnMut(&Line<'_>, u64, &Digest) -> Result<(), Cause>,
) -> Result<Survey, LedgerError> {
    let run_dir = places.run_dir(alias);
    // The head first: a history that grows meanwhile is then ahead of it, which is fine.
    let head = head::load(&places.head(alias))?;
    let path = places.history(alias);
    let file = if disk::is_real_dir(&run_dir)? {
        disk::open_to_read(&path)?
    } else {
        None
    };
    let Some(file) = file else {
        return Err(match head {
            Some(head) => rolled_back(&path, head.seq, 0),
            None => LedgerError::NoSuchRun(alias.clone()),
        });
    };
    let walk = Walk {
        alias,
        key: Key::load(places)?,
        head,
    };
    walk.run(BufReader::with_capacity(BUFFER_BYTES, file), visit)
        .attempt("read", &path)
}

fn rolled_back(path: &Path, head_seq: u64, last_seq: u64) -> LedgerError {
    let path = path.to_owned();
    LedgerError::RolledBack {
        path,
        head_seq,
        last_seq,
    }
}

struct Walk<'a> {
    alias: &'a Alias,
    key: Option<Key>,
    head: Option<Mark>,
}

impl Walk<'_> {
    fn run(
        &self,
        mut reader: impl BufRead,
        mut visit: impl FnMut(&Line<'_>, u64, &Digest) -> Result<(), Cause>,
    ) -> io::Result<Survey> {
        let mut survey = self.start();
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let taken = reader
                .by_ref()
                .take(LINE_BYTES_MAX as u64 + 1)
                .read_until(b'\n', &mut buffer)?;
            if taken == 0 {
                break;
            }
            let outcome = if taken > LINE_BYTES_MAX {
                Err(Cause::TooLong)
            } else if let Some(text) = buffer.strip_suffix(b"\n") {
                self.step(&mut survey, text)
                    .and_then(|(line, hash)| visit(&line, survey.bytes, &hash).map(|()| (line, hash)))
            } else {
                survey.torn = Some(Torn {
                    bytes_dropped: taken as u64,
                    dropped_sha256: Digest::of(&buffer),
                });
                survey.foreign = survey.last.seq == 0 && is_foreign(&buffer);
                break;
            };
            match outcome {
                Ok((line, hash)) => {
                    self.seal_and_head(&mut survey, &line, &hash);
                    survey.last = Mark { seq: line.seq, hash };
                    survey.bytes += taken as u64;
                }
                Err(cause) => {
                    survey.foreign = survey.last.seq == 0 && is_foreign(&buffer);
                    survey.damage = Some(Damage {
                        seq: survey.last.seq + 1,
                        offset: survey.bytes,
                        cause,
                    });
                    break;
                }
            }
        }
        if let Some(head) = self.head
            && head.seq > survey.last.seq
        {
            survey.head = HeadState::RolledBack {
                head_seq: head.seq,
                last_seq: survey.last.seq,
            };
        }
        Ok(survey)
    }

    fn start(&self) -> Survey {
        Survey {
            run_id: None,
            last: Mark { seq: 0, hash: GENESIS },
            bytes: 0,
            torn: None,
            damage: None,
            authenticity: if self.key.is_some() {
                Authenticity::Sealed
            } else {
                Authenticity::NoKey
            },
            forged_at: None,
            head: HeadState::Absent,
            foreign: false,
        }
    }

    /// Whether a line continues the chain; its own hash if so.
    fn step<'a>(&self, survey: &mut Survey, text: &'a [u8]) -> Result<(Line<'a>, Digest), Cause> {
        let line = Line::parse(text).ok_or(Cause::Form)?;
        if line.seq != survey.last.seq + 1 {
            return Err(Cause::Seq(line.seq));
        }
        if line.prev != hex(&survey.last.hash) {
            return Err(Cause::Prev);
        }
        let hash = Digest::of(line.body);
        if line.hash != hex(&hash) {
            return Err(Cause::Hash);
        }
        match &survey.run_id {
            Some(run_id) if run_id.as_str() == line.run_id => {}
            None => survey.run_id = Some(self.first_run_id(line.run_id)?),
            Some(_) => return Err(Cause::Run(line.run_id.to_owned())),
        }
        Ok((line, hash))
    }

    fn first_run_id(&self, text: &str) -> Result<RunId, Cause> {
        RunId::new(text)
            .ok()
            .filter(|run_id| belongs(run_id, self.alias))
            .ok_or_else(|| Cause::Run(text.to_owned()))
    }

    fn seal_and_head(&self, survey: &mut Survey, line: &Line<'_>, hash: &Digest) {
        if let Some(key) = &self.key
            && survey.forged_at.is_none()
            && line.mac != hex(&key.seal(hash))
        {
            survey.authenticity = Authenticity::Forged { seq: line.seq };
            survey.forged_at = Some(survey.bytes);
        }
        match self.head {
            Some(head) if head.seq == line.seq && head.hash == *hash => survey.head = HeadState::Newest,
            Some(head) if head.seq == line.seq => survey.head = HeadState::Differs { seq: line.seq },
            Some(head) if survey.head == HeadState::Newest => survey.head = HeadState::Behind { seq: head.seq },
            Some(_) | None => {}
        }
    }
}

impl Survey {
    /// Whether a run may go on from here. This is the one place that orders the reasons against it.
    pub(crate) fn admit(&self, places: &Places, alias: &Alias) -> Result<(), LedgerError> {
        let path = places.history(alias);
        if self.is_foreign() {
            return Err(LedgerError::Foreign(alias.clone()));
        }
        let unauthenticated = |why| {
            let alias = alias.clone();
            Err(LedgerError::Unauthenticated { alias, why })
        };
        let forged = match self.authenticity {
            Authenticity::NoKey if self.last.seq > 0 => return unauthenticated(Unvouched::NoKey),
            Authenticity::Forged { seq: 1 } if self.head == HeadState::Absent => {
                return unauthenticated(Unvouched::OtherKey);
            }
            Authenticity::Forged { seq } => self.forged_at.map(|offset| Damage {
                seq,
                offset,
                cause: Cause::Mac,
            }),
            Authenticity::Sealed | Authenticity::NoKey => None,
        };
        // A forged event stands in the chain, so it always comes before the place where the chain breaks.
        if let Some(source) = forged.or_else(|| self.damage.clone()) {
            return Err(LedgerError::Damaged { path, source });
        }
        match self.head {
            HeadState::RolledBack { head_seq, last_seq } => Err(rolled_back(&path, head_seq, last_seq)),
            HeadState::Differs { seq } => Err(LedgerError::HeadDiffers { path, seq }),
            HeadState::Newest | HeadState::Behind { .. } | HeadState::Absent if self.last.seq == 0 => {
                Err(LedgerError::NoEvents(alias.clone()))
            }
            HeadState::Newest | HeadState::Behind { .. } | HeadState::Absent => Ok(()),
        }
    }

    /// Another tool's history, unless this machine remembers events of its own here.
    pub(crate) fn is_foreign(&self) -> bool {
        self.foreign && self.head == HeadState::Absent
    }
}

/// A run id is `<alias>-<yyyyMMdd-HHmmss>`: 16 bytes after the alias.
pub(crate) fn belongs(run_id: &RunId, alias: &Alias) -> bool {
    run_id.as_str().len() == alias.as_str().len() + 16 && run_id.as_str().starts_with(alias.as_str())
}

/// The documented plain form: an event without any of the chain's fields.
fn is_foreign(line: &[u8]) -> bool {
    match serde_json::from_slice::<serde_json::Value>(line) {
        Ok(serde_json::Value::Object(map)) => {
            map.contains_key("event") && !["seq", "prev", "hash", "mac"].iter().any(|key| map.contains_key(*key))
        }
        Ok(_) | Err(_) => false,
    }
}
