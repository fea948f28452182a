//! Where the program was started: directory, environment, user. Read here, once.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the door through which the environment comes in"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use onus_engine::load::runs_root;
use onus_engine::{LOOP_FILE, Project, SystemClock};
use onus_model::Alias;

use crate::cli::Global;
use crate::fault::Fault;
use crate::problems::load_fault;
use crate::terminal::Terminal;

pub(crate) struct Surroundings {
    pub(crate) terminal: Terminal,
    pub(crate) clock: SystemClock,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) user: String,
    /// Where `-C` points, or where the program was started.
    start: PathBuf,
    project_given: bool,
}

impl Surroundings {
    pub(crate) fn read(global: &Global) -> Result<Surroundings, Fault> {
        let env: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
            .collect();
        let here = std::env::current_dir().map_err(|error| {
            Fault::configuration("the current directory cannot be read; was it deleted?").because(&error)
        })?;
        let start = match &global.project {
            None => here,
            Some(dir) => {
                let dir = here.join(dir);
                dir.canonicalize()
                    .ok()
                    .filter(|dir| dir.is_dir())
                    .ok_or_else(|| Fault::usage(format!("`{}` is not a directory", dir.display())))?
            }
        };
        let user = env
            .get("USER")
            .or_else(|| env.get("LOGNAME"))
            .filter(|name| !name.is_empty())
            .cloned();
        Ok(Surroundings {
            terminal: Terminal::new(global.color, |name| env.get(name).cloned()),
            clock: SystemClock::default(),
            user: user.unwrap_or_else(|| format!("uid {}", rustix::process::getuid().as_raw())),
            env,
            start,
            project_given: global.project.is_some(),
        })
    }

    /// A path as the person gave it.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        self.start.join(path)
    }

    /// The project: what `-C` names, else the nearest directory upwards that looks like one, else here.
    pub(crate) fn project_dir(&self) -> PathBuf {
        let looks_like_one = |dir: &&Path| {
            [LOOP_FILE, ".onus", ".ai-factory"]
                .iter()
                .any(|name| dir.join(name).exists())
        };
        if self.project_given {
            return self.start.clone();
        }
        self.start
            .ancestors()
            .find(looks_like_one)
            .unwrap_or(&self.start)
            .to_owned()
    }

    /// The project with its runs where its loop file, or the default, says.
    pub(crate) fn project(&self) -> Result<Project, Fault> {
        let dir = self.project_dir();
        let root =
            runs_root(&dir, loop_file_of(&dir).as_deref()).map_err(|error| load_fault(error, self.terminal.style))?;
        self.project_at(&dir, &root)
    }

    pub(crate) fn project_at(&self, dir: &Path, root: &str) -> Result<Project, Fault> {
        let base = etcetera::base_strategy::Xdg::new().map_err(|error| {
            Fault::configuration("there is no home directory to keep the ledger's key in").because(&error)
        })?;
        let state = base
            .state_dir()
            .ok_or_else(|| Fault::configuration("there is no state directory; set `XDG_STATE_HOME` or `HOME`"))?
            .join("onus");
        Ok(Project::new(dir, root, &state, self.env.clone(), &self.user))
    }

    /// The run a command is about: the one named, else the active one.
    pub(crate) fn alias(&self, project: &Project, given: Option<&Alias>) -> Result<Option<Alias>, Fault> {
        match given {
            Some(alias) => Ok(Some(alias.clone())),
            None => Ok(onus_engine::shelf::active(project)?),
        }
    }

    /// Like [`Surroundings::alias`], for commands that need one.
    pub(crate) fn some_alias(&self, project: &Project, given: Option<&Alias>) -> Result<Alias, Fault> {
        self.alias(project, given)?
            .ok_or_else(|| Fault::usage("no run is active").hint("`onus list` shows all runs; name the one you mean"))
    }
}

/// The loop file of a directory, if it has one.
pub(crate) fn loop_file_of(dir: &Path) -> Option<PathBuf> {
    Some(dir.join(LOOP_FILE)).filter(|path| path.is_file())
}
