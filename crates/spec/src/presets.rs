//! The presets that come with Onus: loop files with everything filled in.

use std::sync::LazyLock;

use onus_model::{ArtifactForm, TaskType};

use crate::file::LoopFile;
use crate::prompts;

/// The preset of a loop file that names none.
pub const DEFAULT: &str = "reflex";

const REFLEX: &str = include_str!("../../../presets/reflex.toml");
const BUILD: &str = include_str!("../../../presets/build.toml");

static PRESETS: LazyLock<Vec<Preset>> =
    LazyLock::new(|| vec![Preset::read("reflex", REFLEX), Preset::read("build", BUILD)]);

/// A loop that is ready to be changed.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    pub text: &'static str,
    pub file: LoopFile,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresetInfo {
    pub name: &'static str,
    pub summary: String,
}

impl Preset {
    fn read(name: &'static str, text: &'static str) -> Preset {
        let file = LoopFile::parse(text);
        Preset { name, text, file }
    }

    /// What to do with a finished artifact of this type.
    pub fn next_step(&self, task_type: TaskType) -> Option<&str> {
        self.file.next_steps.get(&task_type).map(String::as_str)
    }
}

pub fn presets() -> Vec<PresetInfo> {
    let info = |preset: &Preset| PresetInfo {
        name: preset.name,
        summary: preset
            .file
            .summary
            .as_ref()
            .map(|at| at.value.clone())
            .unwrap_or_default(),
    };
    PRESETS.iter().map(info).collect()
}

pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|preset| preset.name)
}

/// The preset's loop file as it stands in Onus.
pub fn preset_text(name: &str) -> Option<&'static str> {
    preset(name).map(|preset| preset.text)
}

/// The preset as files of one's own, path and text: a loop file that says everything, and the prompts it names.
pub fn eject(name: &str) -> Option<Vec<(String, String)>> {
    let preset = preset(name)?;
    let tree = preset
        .file
        .artifact
        .as_ref()
        .is_some_and(|at| at.value == ArtifactForm::Tree);
    let example = if tree { TREE_EXAMPLE } else { FILE_EXAMPLE };
    let head = EJECTED.replace("{name}", name).replace("{example}\n", example);
    let mut loop_file = format!("{head}\n{}", preset.text);
    let mut files = Vec::new();
    let own = format!("{}{name}/", prompts::BUILT_IN);
    for path in prompts::built_in_paths().filter(|path| path.starts_with(&own)) {
        let file = format!("prompts/{}.md.j2", path.trim_start_matches(prompts::BUILT_IN));
        loop_file = loop_file.replace(&format!("\"{path}\""), &format!("\"{file}\""));
        files.push((file, prompts::built_in(path)?.to_owned()));
    }
    files.insert(0, ("onus.toml".to_owned(), loop_file));
    Some(files)
}

/// What an ejected file begins with. Keys of the top level come before the first table, so the rest is commented out.
const EJECTED: &str = r#"# A loop of your own, started from the preset `{name}`. Whatever you delete here, the preset still provides.
#
# Who does the work (uncomment and adapt, then move it below the top-level keys):
#
#   [agents.writer]
#   kind = "command"                # any program: the prompt comes on stdin, the answer goes to stdout
#   command = ["claude", "-p"]
#   env = ["ANTHROPIC_API_KEY"]     # names; beyond PATH, HOME and the like, only these are passed on
#
#   [roles]
#   default = "writer"              # plays every role that is not named here
#   evaluator = "writer"
#
{example}

preset = "{name}"
"#;

const FILE_EXAMPLE: &str = r#"# What is asked for (or give it on the command line):
#
#   [task]
#   prompt = "OpenAPI 3.1 spec for a course catalogue"
#   ideal_result = "All operations with schemas and examples"
#   type = "api_spec"               # api_spec, code, docs, config or other; left out: told from the prompt
#
# A criterion of your own, with a check that the engine runs itself:
#
#   [[criteria]]
#   id = "a.completeness.errors-section"
#   description = "There is a section about errors."
#   severity = "fail"
#   level = "A"
#   verify = { type = "content", search = "^## Errors", expected = "present" }
"#;

const TREE_EXAMPLE: &str = r#"# What is asked for (or give it on the command line); add it to `[task]` below:
#
#   prompt = "Make the tests pass"
#   ideal_result = "Cancelled orders are in no total"
#
# What must be true in the end. There are no other criteria than yours:
#
#   [[criteria]]
#   id = "a.tests"
#   description = "Every test passes."
#   severity = "fail"
#   verify = { type = "tests", command = ["cargo", "test"], format = "cargo" }
"#;
