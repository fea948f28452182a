//! Judges of the producer's own family: one that shares the producer's model shares its blind spots.

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
    pub(crate) fn same_as(self, role: Role, worker: Kin<'_>) -> Option<String> {
        let of_one_family = |family: &str| {
            worker
                .family
                .is_some_and(|own| own.to_lowercase() == family.to_lowercase())
        };
        if self.agent == worker.agent {
            return Some(format!("is the {role}'s agent too"));
        }
        if let Some(family) = self.family.filter(|family| of_one_family(family)) {
            return Some(format!(
                "is of the family `{family}`, as is the {role} `{}`",
                worker.agent
            ));
        }
        let same = self.program == worker.program && self.program != Program::Unknown;
        same.then(|| format!("runs the same program as the {role} `{}`", worker.agent))
    }
}

/// Why judges' words weigh less in this loop: one sentence for each judge of the producer's or the refiner's family.
/// Nothing if no criterion is left to a judge.
pub fn degraded(spec: &LoopSpec) -> Vec<String> {
    if spec.criteria.iter().all(|criterion| !criterion.verify.is_empty()) {
        return Vec::new();
    }
    let evaluator = spec.roles.get(&Role::Evaluator);
    let judges = match spec.judging.judges.as_slice() {
        [] => evaluator.into_iter().collect(),
        judges => judges.iter().collect::<Vec<_>>(),
    };
    let workers: Vec<(Role, Kin<'_>)> = WORKERS
        .into_iter()
        .filter_map(|role| spec.roles.get(&role).map(|binding| (role, binding.into())))
        .collect();
    judges
        .into_iter()
        .filter_map(|judge| {
            let kin = Kin::from(judge);
            let why = workers.iter().find_map(|(role, worker)| kin.same_as(*role, *worker))?;
            Some(format!("judge `{}` {why}", judge.agent))
        })
        .collect()
}
