//! The drafter: reads a brief, drafts an intent from it, and revises the intent by what the critic found and a person said.
//!
//! It is the design preset's agent where no model is configured: the same brief gives the same intent, byte for byte, on every
//! machine. It does not judge its own work; the critic does.

mod brief;
mod compose;
mod contradiction;
mod english;
mod feedback;
mod meaning;
mod phrase;
mod revise;
mod technology;
mod text;
mod things;
mod tidy;

pub use brief::{BRIEF_BYTES_MAX, Brief, BriefError, Form, Note, Part, STATEMENTS_MAX, Statement, read_brief};
pub use compose::{DraftError, draft};
pub use revise::{Hint, Revision, revise};
