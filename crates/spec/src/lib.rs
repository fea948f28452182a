//! Onus's intent: loop files and presets become a draft, a person confirms it, and it freezes into a `LoopSpec`.
//!
//! ```text
//! text ── LoopFile::parse ── needs ── (the caller reads the files) ── resolve ── Draft ── Confirmable ── freeze ── LoopSpec
//! ```
//!
//! Pure: no disk, clock, environment or randomness. Files are named here and read by the caller. Every problem of a
//! loop file is reported at once, with its place; nothing a file holds makes this crate panic.

pub mod draft;
pub mod family;
pub mod file;
pub mod infer;
pub mod lint;
pub mod presets;
pub mod problems;
pub mod prompts;
mod reader;
pub mod resolve;
pub mod setup;
pub mod starter;

pub use draft::{BoundAgent, Draft, DraftJudging, FileNeed, Need, Origin, Sources};
pub use family::degraded;
pub use file::{LoopFile, MAX_ITERATIONS_MAX};
pub use infer::{Inference, infer_task_type, stated_max_iterations};
pub use lint::{Complaint, lint, lint_without_agents};
pub use presets::{Preset, PresetInfo, eject, preset, preset_text, presets};
pub use problems::{Problem, Span, line_column};
pub use prompts::{PromptError, render, sample_context, sample_tree_context, template_ref};
pub use reader::At;
pub use resolve::{Overrides, resolve};
pub use setup::{Answers, Confirmable, Edit, EditError};
pub use starter::{Ingredient, ingredients, starter};
