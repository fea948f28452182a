//! Reading a loop file and everything it names, for set-up to show and a run to start from.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use onus_model::{Alias, Confirmations, JudgeControl, LoopSpec, Role};
use onus_spec::file::stays_inside;
use onus_spec::{Draft, LoopFile, Need, Overrides, Problem, Sources, presets, prompts};
use serde::Deserialize;

use crate::agents::script_bundle;
use crate::frozen;
use crate::project::CONTEXT_FILES;
use crate::{EngineError, NewRun, sources};

/// The largest loop file, prompt, template or background document. More than this belongs into the workspace.
pub const TEXT_BYTES_MAX: u64 = 1 << 20;

/// Where ai-factory keeps its settings.
const AI_FACTORY_CONFIG: &str = ".ai-factory/config.yaml";

/// Why there is no draft.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is not UTF-8 text: byte {offset} does not fit", path.display())]
    NotUtf8 { path: PathBuf, offset: usize },
    #[error("`{}` has more than {TEXT_BYTES_MAX} bytes", path.display())]
    TooLarge { path: PathBuf },
    /// Everything that is wrong with the loop, at once.
    #[error("the loop cannot be used: {} problem{}", problems.len(), if problems.len() == 1 { "" } else { "s" })]
    Problems {
        path: Option<PathBuf>,
        text: String,
        problems: Vec<Problem>,
    },
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A loop file with the texts it names.
#[derive(Debug)]
pub struct Loaded {
    /// The project's directory.
    dir: PathBuf,
    /// `None`: there is no loop file, the preset stands alone.
    path: Option<PathBuf>,
    text: String,
    file: LoopFile,
    sources: Sources,
    /// Where ai-factory's own settings put the runs, unless the loop file says otherwise.
    root: Option<String>,
}

impl Loaded {
    /// Reads a project's loop file, or stands in for one that is not there.
    pub fn read(dir: &Path, path: Option<&Path>, overrides: &Overrides) -> Result<Loaded, LoadError> {
        let text = path.map(read_text).transpose()?.unwrap_or_default();
        let file = LoopFile::parse(&text);
        let mut sources = Sources::default();
        let mut missing = Vec::new();
        for need in file.needs(overrides) {
            let full = dir.join(&need.path);
            let read = match &need.why {
                Need::Script { .. } => script_bundle(&full).map_err(|error| error.to_string()),
                Need::TaskPrompt | Need::Template { .. } | Need::Twin => {
                    read_text(&full).map_err(|error| crate::perform::chain(&error))
                }
            };
            match read {
                Ok(text) => {
                    sources.texts.insert(need.path, text);
                }
                Err(message) => missing.push(Problem::new(need.span, message)),
            }
        }
        let loaded = Loaded {
            dir: dir.to_owned(),
            path: path.map(Path::to_owned),
            text,
            root: if file.files.root.is_none() {
                ai_factory_root(dir)?
            } else {
                None
            },
            file,
            sources,
        };
        if missing.is_empty() {
            return Ok(loaded);
        }
        let mut problems = loaded.file.problems().to_vec();
        problems.extend(missing);
        problems.sort_by_key(|p| p.span.as_ref().map_or(usize::MAX, |span| span.start));
        Err(loaded.problems(problems))
    }

    /// The loop file as it was read; empty if there is none.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The loop with these flags over it.
    pub fn draft(&self, overrides: &Overrides) -> Result<Draft, LoadError> {
        let mut overrides = overrides.clone();
        if overrides.root.is_none() {
            overrides.root.clone_from(&self.root);
        }
        onus_spec::resolve(&self.file, &overrides, &self.sources).map_err(|problems| self.problems(problems))
    }

    /// The frozen contract of a draft.
    pub fn contract(&self, draft: &Draft) -> Result<LoopSpec, LoadError> {
        draft.freeze(&self.sources).map_err(|problems| self.problems(problems))
    }

    /// A run of a confirmed draft.
    pub fn new_run(&self, draft: &Draft, alias: Alias, confirmed: Confirmations) -> Result<NewRun, LoadError> {
        let mut spec = self.contract(draft)?;
        spec.frozen_files = frozen::freeze(&spec.criteria, &self.dir.join(&spec.workspace));
        let text_of = |path: &str| {
            prompts::built_in(path)
                .or_else(|| self.sources.get(path))
                .unwrap_or_default()
                .to_owned()
        };
        let templates: BTreeMap<Role, String> = spec
            .prompts
            .iter()
            .map(|(role, template)| (*role, text_of(&template.path)))
            .collect();
        let mut context = Vec::new();
        for path in CONTEXT_FILES {
            let full = self.dir.join(path);
            if full.is_file() {
                context.push((path.to_owned(), read_text(&full)?));
            }
        }
        let twins = spec.judging.controls.iter().filter_map(|control| match control {
            JudgeControl::Twin { path, .. } => Some((path.clone(), text_of(path))),
            JudgeControl::Empty | JudgeControl::Hollow => None,
        });
        let own = self
            .path
            .as_ref()
            .and_then(|path| path.strip_prefix(&self.dir).ok()?.to_str());
        let sources = sources::freeze(
            &self.dir,
            own.into_iter().chain(self.sources.texts.keys().map(String::as_str)),
        );
        Ok(NewRun {
            twins: twins.collect(),
            sources,
            baseline: None,
            alias,
            spec,
            confirmed,
            templates,
            context,
        })
    }

    fn problems(&self, problems: Vec<Problem>) -> LoadError {
        LoadError::Problems {
            path: self.path.clone(),
            text: self.text.clone(),
            problems,
        }
    }
}

/// Where a project keeps its runs: the loop file's word, then ai-factory's settings, then the preset's.
///
/// Read leniently, so that a mistake elsewhere in a loop file does not hide the runs from the commands that show them.
pub fn runs_root(dir: &Path, loop_file: Option<&Path>) -> Result<String, LoadError> {
    let text = loop_file.map(read_text).transpose()?.unwrap_or_default();
    let file = LoopFile::parse(&text);
    if let Some(root) = &file.files.root {
        return Ok(root.value.clone());
    }
    if let Some(root) = ai_factory_root(dir)? {
        return Ok(root);
    }
    let named = file.preset.as_ref().map_or(presets::DEFAULT, |at| at.value.as_str());
    let preset = presets::preset(named).or_else(|| presets::preset(presets::DEFAULT));
    let root = preset.and_then(|preset| preset.file.files.root.as_ref());
    root.map(|at| at.value.clone())
        .ok_or_else(|| EngineError::Internal("the preset names no root".to_owned()).into())
}

/// A text file, bounded and in UTF-8.
pub fn read_text(path: &Path) -> Result<String, LoadError> {
    let unreadable = |source| LoadError::Read {
        path: path.to_owned(),
        source,
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(TEXT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > TEXT_BYTES_MAX {
        return Err(LoadError::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes).map_err(|error| LoadError::NotUtf8 {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// `paths.evolution` of ai-factory's settings, if they are there and say so.
fn ai_factory_root(dir: &Path) -> Result<Option<String>, LoadError> {
    #[derive(Deserialize)]
    struct Config {
        paths: Option<Paths>,
    }
    #[derive(Deserialize)]
    struct Paths {
        evolution: Option<String>,
    }
    let path = dir.join(AI_FACTORY_CONFIG);
    if !path.is_file() {
        return Ok(None);
    }
    let text = read_text(&path)?;
    let config: Config = serde_saphyr::from_str(&text)
        .map_err(|error| EngineError::Configuration(format!("`{AI_FACTORY_CONFIG}`: {error}")))?;
    let root = config.paths.and_then(|paths| paths.evolution);
    match root {
        Some(root) if !stays_inside(&root) => Err(EngineError::Configuration(format!(
            "`{AI_FACTORY_CONFIG}`: `paths.evolution` must be a path inside the project, not `{root}`"
        ))
        .into()),
        root => Ok(root),
    }
}
