//! The little of SARIF 2.1.0 that counts: results with their level, message and first place.
//!
//! A result without a level is a warning; what its rule says is not looked up. One that the code or a baseline suppresses
//! is a note: it does not count, and is not hidden either.

use std::marker::PhantomData;

use onus_model::FindingLevel;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Found;

/// The most members of one list.
const MEMBERS_MAX: usize = 100_000;

#[derive(Deserialize)]
struct Log {
    version: String,
    #[serde(deserialize_with = "bounded")]
    runs: Vec<Run>,
}

#[derive(Deserialize)]
struct Run {
    /// Absent or null: the tool looked at nothing.
    #[serde(default)]
    results: Option<Results>,
    #[serde(default, deserialize_with = "bounded")]
    invocations: Vec<Invocation>,
}

#[derive(Deserialize)]
struct Results(#[serde(deserialize_with = "bounded")] Vec<Reported>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: Option<bool>,
}

#[derive(Deserialize)]
struct Reported {
    level: Option<String>,
    kind: Option<String>,
    #[serde(default)]
    message: Message,
    #[serde(default, deserialize_with = "bounded")]
    locations: Vec<Location>,
    #[serde(default, deserialize_with = "bounded")]
    suppressions: Vec<Suppression>,
}

#[derive(Deserialize, Default)]
struct Message {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Suppression {
    status: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Option<PhysicalLocation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Option<ArtifactLocation>,
    region: Option<Region>,
}

#[derive(Deserialize)]
struct ArtifactLocation {
    uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: Option<u32>,
}

pub(super) fn read(text: &str) -> Result<Found, String> {
    let log: Log = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("the report is not SARIF: {error}"))?;
    if !log.version.starts_with("2.1") {
        return Err(format!("the report is SARIF `{}`, expected 2.1.0", log.version));
    }
    if log.runs.is_empty() {
        return Err("the report has no run".to_owned());
    }
    let mut found = Found::default();
    for run in &log.runs {
        if run
            .invocations
            .iter()
            .any(|invocation| invocation.execution_successful == Some(false))
        {
            return Err("the linter says that it did not succeed".to_owned());
        }
        let Some(results) = &run.results else {
            return Err("a run has no results: the linter looked at nothing".to_owned());
        };
        for result in &results.0 {
            if let Some(level) = result.finding_level() {
                found.add(level, result.place(), &result.message.text);
            }
        }
    }
    Ok(found)
}

impl Reported {
    /// Nothing for a result that says that all is well.
    fn finding_level(&self) -> Option<FindingLevel> {
        let level = match (self.kind.as_deref(), self.level.as_deref()) {
            (Some("pass" | "notApplicable"), _) => return None,
            (_, None | Some("warning")) => FindingLevel::Warning,
            (_, Some("note" | "none")) => FindingLevel::Note,
            // A word that is not in the standard is no excuse.
            (_, Some(_)) => FindingLevel::Error,
        };
        Some(if self.is_suppressed() {
            FindingLevel::Note
        } else {
            level
        })
    }

    fn is_suppressed(&self) -> bool {
        let accepted = |suppression: &Suppression| matches!(suppression.status.as_deref(), None | Some("accepted"));
        !self.suppressions.is_empty() && self.suppressions.iter().all(accepted)
    }

    fn place(&self) -> Option<(&str, Option<u32>)> {
        let physical = self.locations.first()?.physical_location.as_ref()?;
        let uri = physical.artifact_location.as_ref()?.uri.as_deref()?;
        Some((uri, physical.region.as_ref().and_then(|region| region.start_line)))
    }
}

/// A list with a bound: members of three bytes would otherwise become many times that in memory. Null is an empty list.
fn bounded<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct Members<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list")
        }

        fn visit_unit<E>(self) -> Result<Vec<T>, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = list.next_element()? {
                if members.len() >= MEMBERS_MAX {
                    return Err(A::Error::custom(format!("a list has more than {MEMBERS_MAX} members")));
                }
                members.push(member);
            }
            Ok(members)
        }
    }

    deserializer.deserialize_any(Members(PhantomData))
}
