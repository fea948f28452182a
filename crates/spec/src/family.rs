//! Judges of one family: one that shares the producer's model shares its blind spots, and several of one model are one judge.

use onus_model::{AgentSpec, LoopSpec, Role, RoleBinding};

/// The roles whose work is judged.
pub(crate) const WORKERS: [Role; 2] = [Role::Producer, Role::Refiner];

/// An agent as far as its family is told by it.
#[derive(Clone, Copy)]
pub(crate) struct Kin<'a> {
    pub(crate) agent: &'a str,
    pub(crate) family: Option<&'a str>,
    pub(crate) program: Program<'a>,
}

/// What is started; time limits make no difference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program<'a> {
    Command(&'a [String], &'a [String]),
    Script(&'a str),
    Unknown,
}

impl<'a> From<&'a RoleBinding> for Kin<'a> {
    fn from(binding: &'a RoleBinding) -> Kin<'a> {
        Kin {
            agent: &binding.agent,
            family: binding.family.as_deref(),
            program: match &binding.spec {
                AgentSpec::Command { command, env, .. } => Program::Command(command, env),
                AgentSpec::Scripted { script, .. } => Program::Script(script),
            },
        }
    }
}

impl Kin<'_> {
    /// What makes the two one family, as the end of a sentence about the first; absent: nothing that is known.
    pub(crate) fn same_as(self, role: &str, other: Kin<'_>) -> Option<String> {
        let of_one_family = |family: &str| {
            other
                .family
                .is_some_and(|own| own.to_lowercase() == family.to_lowercase())
        };
        if self.agent == other.agent {
            return Some(format!("is the {role}'s agent too"));
        }
        if let Some(family) = self.family.filter(|family| of_one_family(family)) {
            return Some(format!(
                "is of the family `{family}`, as is the {role} `{}`",
                other.agent
            ));
        }
        let same = self.program == other.program && self.program != Program::Unknown;
        same.then(|| format!("runs the same program as the {role} `{}`", other.agent))
    }
}

/// Which judges are of one family with whom: the judge's name, and the end of a sentence about it. Each is held against the
/// workers and against the judges before it.
pub(crate) fn same_families<'a>(workers: &[(Role, Kin<'a>)], judges: &[Kin<'a>]) -> Vec<(&'a str, String)> {
    let found = judges.iter().enumerate().filter_map(|(at, judge)| {
        let worker = workers
            .iter()
            .find_map(|(role, worker)| judge.same_as(&role.to_string(), *worker));
        // One that is named twice is a mistake of its own.
        let mut others = judges[..at].iter().filter(|other| other.agent != judge.agent);
        let why = worker.or_else(|| others.find_map(|other| judge.same_as("judge", *other)))?;
        Some((judge.agent, why))
    });
    found.collect()
}

/// Why judges' words weigh less in this loop: one sentence for each judge of the producer's, the refiner's or another
/// judge's family. Nothing if no criterion is left to a judge.
pub fn degraded(spec: &LoopSpec) -> Vec<String> {
    if spec.criteria.iter().all(|criterion| !criterion.verify.is_empty()) {
        return Vec::new();
    }
    let evaluator = spec.roles.get(&Role::Evaluator);
    let judges: Vec<Kin<'_>> = match spec.judging.judges.as_slice() {
        [] => evaluator.into_iter().map(Kin::from).collect(),
        judges => judges.iter().map(Kin::from).collect(),
    };
    let workers: Vec<(Role, Kin<'_>)> = WORKERS
        .into_iter()
        .filter_map(|role| spec.roles.get(&role).map(|binding| (role, binding.into())))
        .collect();
    let found = same_families(&workers, &judges).into_iter();
    found.map(|(judge, why)| format!("judge `{judge}` {why}")).collect()
}
