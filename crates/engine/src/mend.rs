//! Putting a history right after a person said so, and recording that they did.

use std::path::PathBuf;

use onus_ledger::{Fault, RepairPlan};
use onus_model::{Alias, Event};

use crate::{Clock, EngineError, Project, Rebuilt, rebuild};

/// What was done, and where the bytes went that are no longer part of the history.
#[derive(Debug)]
pub struct Mended {
    pub rebuilt: Rebuilt,
    pub quarantined: Option<PathBuf>,
    pub bytes_dropped: u64,
}

/// Carries out a repair plan. Nothing is deleted: what is cut off goes to quarantine.
pub fn repair(project: &Project, clock: &dyn Clock, alias: &Alias, plan: &RepairPlan) -> Result<Mended, EngineError> {
    let done = onus_ledger::repair(&project.places, alias, plan)?;
    drop(done.ledger);
    // Also where nothing is cut: a history that lost its end was accepted as it is.
    let event = (plan.fault != Fault::Nothing).then(|| Event::Repaired {
        by: project.user.clone(),
        bytes_dropped: plan.drop_bytes,
        dropped_sha256: plan.dropped_sha256,
    });
    Ok(Mended {
        rebuilt: rebuild(project, clock, alias, event)?,
        quarantined: done.quarantined,
        bytes_dropped: plan.drop_bytes,
    })
}

/// Accepts a history that this machine cannot vouch for, on a person's word.
pub fn adopt(project: &Project, clock: &dyn Clock, alias: &Alias, reason: &str) -> Result<Mended, EngineError> {
    let done = onus_ledger::adopt(&project.places, alias)?;
    drop(done.ledger);
    let event = Event::Adopted {
        by: project.user.clone(),
        reason: reason.to_owned(),
    };
    Ok(Mended {
        rebuilt: rebuild(project, clock, alias, Some(event))?,
        quarantined: Some(done.quarantined),
        bytes_dropped: done.bytes_dropped,
    })
}
