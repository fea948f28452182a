//! `onus resume`: go on with a loop that was interrupted.

use onus_engine::OpenRun;
use onus_model::ExitCode;

use crate::cli::ResumeArgs;
use crate::commands::driving::drive;
use crate::fault::Fault;
use crate::surroundings::Surroundings;

pub(crate) fn run(around: &Surroundings, args: &ResumeArgs) -> Result<ExitCode, Fault> {
    let project = around.project()?;
    let alias = around.some_alias(&project, args.alias.as_ref())?;
    let open = async |_| Ok(OpenRun::resume(&project, &around.clock, &alias)?);
    drive(around, &project, open, args.output, args.save_as.as_deref())
}
