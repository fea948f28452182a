//! Set-up: showing a draft, asking what is open, and taking the two confirmations without which no run starts.

use std::fmt::Write as _;

use inquire::{InquireError, Select, Text};
use onus_engine::Clock as _;
use onus_engine::load::Loaded;
use onus_model::{Confirmation, Confirmations, Criterion, ExitCode, Score, Severity, TaskType};
use onus_spec::{Answers, Confirmable, Draft, Edit, Inference, Origin, Overrides};
use onus_views::one_line;

use crate::cli::RunArgs;
use crate::fault::Fault;
use crate::problems::load_fault;
use crate::surroundings::Surroundings;
use crate::terminal::say;

/// A draft that a person has confirmed, both parts of it.
pub(crate) struct Confirmed {
    pub(crate) draft: Draft,
    pub(crate) confirmations: Confirmations,
}

/// Leads from a loaded loop to a confirmed draft: by flags, by questions, or by both.
pub(crate) fn confirm(
    around: &Surroundings,
    loaded: &Loaded,
    overrides: &mut Overrides,
    args: &RunArgs,
) -> Result<Confirmed, Fault> {
    let resolve = |overrides: &Overrides| {
        loaded
            .draft(overrides)
            .map_err(|error| load_fault(error, around.terminal.style))
    };
    let mut draft = resolve(overrides)?;
    if !around.terminal.interactive {
        return by_flags(around, draft, args);
    }
    if draft.prompt.trim().is_empty() {
        overrides.prompt = Some(ask_text("What is to be made?", "")?);
        draft = resolve(overrides)?;
    }
    let mut table = if args.full_setup || draft.task_type.is_none() {
        // What is typed now may differ from what a flag said, so flags confirm nothing here.
        full_setup(around, loaded, overrides, &draft)?
    } else {
        // Flags are explicit words too; changing anything below takes them back like any other confirmation.
        let mut table = Confirmable::new(draft);
        take_flags(around, &mut table, args);
        table
    };
    loop {
        if let Some(confirmations) = table.both() {
            return Ok(Confirmed {
                draft: table.draft().clone(),
                confirmations,
            });
        }
        say(&format!("\n{}\n", summary(table.draft())));
        if !table.criteria_confirmed() {
            match ask_criteria(&mut table)? {
                Answer::Yes => table.confirm_criteria(said(around, "prompt")),
                Answer::Changed => continue,
                Answer::Everything => table = full_setup(around, loaded, overrides, table.draft())?,
                Answer::Quit => return Err(given_up()),
            }
        }
        if table.criteria_confirmed() && !table.max_iterations_confirmed() {
            match ask_iterations(&mut table)? {
                Answer::Yes => table.confirm_max_iterations(said(around, "prompt")),
                Answer::Changed | Answer::Everything => {}
                Answer::Quit => return Err(given_up()),
            }
        }
    }
}

/// Without a terminal, flags must say both; nothing is assumed.
fn by_flags(around: &Surroundings, draft: Draft, args: &RunArgs) -> Result<Confirmed, Fault> {
    if draft.prompt.trim().is_empty() {
        return Err(Fault::configuration("there is no task")
            .hint("give it on the command line, with `--task-file`, or as `task.prompt` in the loop file"));
    }
    if draft.task_type.is_none() {
        let guess = match &draft.inference {
            Inference::Ambiguous(types) => {
                let names: Vec<_> = types.iter().map(|t| t.name()).collect();
                format!("it could be {}", names.join(" or "))
            }
            Inference::One(_) | Inference::Unknown => "nothing in it tells".to_owned(),
        };
        return Err(
            Fault::new(ExitCode::Waiting, format!("the type of the task is not plain: {guess}"))
                .hint("pass `--type api_spec|code|docs|config|other`"),
        );
    }
    let (iterations, text) = (draft.limits.max_iterations, summary(&draft));
    let mut table = Confirmable::new(draft);
    take_flags(around, &mut table, args);
    if let Some(confirmations) = table.both() {
        return Ok(Confirmed {
            draft: table.draft().clone(),
            confirmations,
        });
    }
    let mut missing = Vec::new();
    if !table.criteria_confirmed() {
        missing.push("`--accept-criteria` confirms the success criteria".to_owned());
    }
    if !table.max_iterations_confirmed() {
        missing.push(format!(
            "`--max-iterations {iterations}` confirms the number of iterations"
        ));
    }
    let fault = Fault::new(
        ExitCode::Waiting,
        "the run is not confirmed, and there is no terminal to ask on",
    )
    .with_listing(text + "\n");
    Err(missing.into_iter().fold(fault, Fault::hint))
}

fn take_flags(around: &Surroundings, table: &mut Confirmable, args: &RunArgs) {
    if args.accept_criteria {
        table.confirm_criteria(said(around, "--accept-criteria"));
    }
    if args.max_iterations.is_some() {
        table.confirm_max_iterations(said(around, "--max-iterations"));
    }
}

fn said(around: &Surroundings, how: &str) -> Confirmation {
    Confirmation {
        by: around.user.clone(),
        how: how.to_owned(),
        at: around.clock.stamp(),
    }
}

/// What would run, for a person to read before they say yes.
fn summary(draft: &Draft) -> String {
    let mut text = String::new();
    let task_type = draft.task_type.map_or("not plain", TaskType::name);
    let _ = writeln!(text, "task         {}", one_line(&draft.prompt, 200));
    if !draft.ideal_result.is_empty() {
        let _ = writeln!(text, "ideal        {}", one_line(&draft.ideal_result, 200));
    }
    let _ = writeln!(text, "type         {task_type}");
    let thresholds: Vec<String> = draft
        .levels
        .iter()
        .map(|l| format!("{} {}", l.name, l.threshold))
        .collect();
    let _ = writeln!(text, "thresholds   {}", thresholds.join(", "));
    let origin = match draft.max_iterations_from {
        Origin::Flag => "flag",
        Origin::Person => "as you said",
        Origin::File => "loop file",
        Origin::Prompt => "stated in the task",
        Origin::Preset => "default",
    };
    let _ = writeln!(text, "iterations   at most {} ({origin})", draft.limits.max_iterations);
    let agents: Vec<String> = draft
        .roles
        .iter()
        .map(|(role, bound)| format!("{role}={}", one_line(&bound.agent, 40)))
        .collect();
    let _ = writeln!(text, "agents       {}", agents.join(" "));
    let _ = writeln!(text, "criteria     with severity, weight and who decides");
    let width = draft.criteria.iter().map(|c| c.id.as_str().len()).max().unwrap_or(0);
    for Criterion {
        id,
        description,
        severity,
        weight,
        verify,
        ..
    } in &draft.criteria
    {
        let id = id.as_str();
        let decided = if verify.is_empty() { "agents" } else { "code" };
        let _ = writeln!(
            text,
            "  {id:<width$}  {:<4}  {weight}  {decided:<6}  {}",
            severity.name(),
            one_line(description, 70)
        );
    }
    text
}

enum Answer {
    Yes,
    Changed,
    Everything,
    Quit,
}

fn ask_criteria(table: &mut Confirmable) -> Result<Answer, Fault> {
    const YES: &str = "Yes";
    const THRESHOLD: &str = "Change a threshold";
    const SEVERITY: &str = "Change a criterion's severity";
    const ADD: &str = "Add a criterion";
    const REMOVE: &str = "Remove a criterion";
    const EVERYTHING: &str = "Answer all set-up questions";
    const QUIT: &str = "Quit without starting";
    let choice = select(
        "Confirm these success criteria?",
        vec![YES, THRESHOLD, SEVERITY, ADD, REMOVE, EVERYTHING, QUIT],
    )?;
    let edit = match choice {
        YES => return Ok(Answer::Yes),
        EVERYTHING => return Ok(Answer::Everything),
        THRESHOLD => {
            let levels: Vec<_> = table.draft().levels.iter().map(|l| l.name.clone()).collect();
            let level = select("Which level?", levels)?;
            Edit::Threshold {
                level,
                threshold: ask_score("New threshold (0 to 1):", None)?,
            }
        }
        SEVERITY => {
            let ids: Vec<_> = table.draft().criteria.iter().map(|c| c.id.clone()).collect();
            let id = select("Which criterion?", ids)?;
            Edit::Severity {
                id,
                severity: select("New severity?", Severity::ALL.to_vec())?,
            }
        }
        ADD => {
            let text = ask_text("What must be true?", "")?;
            let severity = select("How severe is it if it is not?", Severity::ALL.to_vec())?;
            let answers = match severity {
                Severity::Fail => Answers {
                    mandatory: vec![text],
                    ..Answers::default()
                },
                Severity::Warn | Severity::Info => Answers {
                    preferences: vec![text],
                    ..Answers::default()
                },
            };
            for criterion in table.draft().criteria_from(&answers) {
                edit_table(table, Edit::Add(criterion));
            }
            return Ok(Answer::Changed);
        }
        REMOVE => Edit::Remove(select(
            "Which criterion?",
            table.draft().criteria.iter().map(|c| c.id.clone()).collect(),
        )?),
        _ => return Ok(Answer::Quit),
    };
    edit_table(table, edit);
    Ok(Answer::Changed)
}

fn ask_iterations(table: &mut Confirmable) -> Result<Answer, Fault> {
    const CHANGE: &str = "Change it";
    const QUIT: &str = "Quit without starting";
    let question = format!("Confirm max iterations = {}?", table.draft().limits.max_iterations);
    Ok(match select(&question, vec!["Yes", CHANGE, QUIT])? {
        CHANGE => {
            let count = ask_count("Max iterations:", table.draft().limits.max_iterations)?;
            edit_table(table, Edit::MaxIterations(count));
            Answer::Changed
        }
        QUIT => Answer::Quit,
        _ => Answer::Yes,
    })
}

fn edit_table(table: &mut Confirmable, edit: Edit) {
    if let Err(error) = table.edit(edit) {
        say(&format!("not changed: {error}\n"));
    }
}

/// Every question of the full set-up, in its documented order; the two confirmations follow.
fn full_setup(
    around: &Surroundings,
    loaded: &Loaded,
    overrides: &mut Overrides,
    known: &Draft,
) -> Result<Confirmable, Fault> {
    let types: Vec<&str> = TaskType::ALL.iter().map(|t| t.name()).collect();
    let named = select("What kind of artifact is it?", types)?;
    overrides.task_type = TaskType::ALL.into_iter().find(|t| t.name() == named);
    let ideal_result = ask_text(
        "What does an ideal result look like? (parts separated by `;`)",
        &known.ideal_result,
    )?;
    overrides.ideal_result = Some(ideal_result.clone());
    let parts = |text: String| {
        text.split(';')
            .map(|part| part.trim().to_owned())
            .filter(|part| !part.is_empty())
            .collect()
    };
    let answers = Answers {
        ideal_result,
        mandatory: parts(ask_text(
            "Which checks are mandatory? (separated by `;`, may be empty)",
            "",
        )?),
        preferences: parts(ask_text(
            "What else would be good to have? (separated by `;`, may be empty)",
            "",
        )?),
        major_issues: Vec::new(),
    };
    let draft = loaded
        .draft(overrides)
        .map_err(|error| load_fault(error, around.terminal.style))?;
    let levels = draft.levels.clone();
    let mut table = Confirmable::new(draft);
    for level in levels {
        let threshold = ask_score(
            &format!("Quality threshold of level {} (0 to 1):", level.name),
            Some(level.threshold),
        )?;
        edit_table(
            &mut table,
            Edit::Threshold {
                level: level.name,
                threshold,
            },
        );
    }
    let count = ask_count("Max iterations:", table.draft().limits.max_iterations)?;
    edit_table(&mut table, Edit::MaxIterations(count));
    let major_issues = parts(ask_text(
        "What counts as a major issue? (separated by `;`, may be empty)",
        "",
    )?);
    for criterion in table.draft().criteria_from(&Answers {
        major_issues,
        ..answers
    }) {
        edit_table(&mut table, Edit::Add(criterion));
    }
    Ok(table)
}

fn select<T: std::fmt::Display>(question: &str, options: Vec<T>) -> Result<T, Fault> {
    Select::new(question, options)
        .prompt()
        .map_err(|error| dialogue_fault(&error))
}

fn ask_text(question: &str, initial: &str) -> Result<String, Fault> {
    Text::new(question)
        .with_initial_value(initial)
        .prompt()
        .map_err(|error| dialogue_fault(&error))
}

fn ask_score(question: &str, current: Option<Score>) -> Result<Score, Fault> {
    let initial = current.map(|score| score.to_string()).unwrap_or_default();
    loop {
        let text = ask_text(question, &initial)?;
        match text
            .trim()
            .parse::<f64>()
            .ok()
            .and_then(|value| Score::try_from(value).ok())
        {
            Some(score) => return Ok(score),
            None => say("a threshold is a number from 0 to 1 with at most four decimals\n"),
        }
    }
}

fn ask_count(question: &str, current: u32) -> Result<u32, Fault> {
    loop {
        let text = ask_text(question, &current.to_string())?;
        match text.trim().parse() {
            Ok(count) => return Ok(count),
            Err(_) => say("a number of iterations is a whole number\n"),
        }
    }
}

fn given_up() -> Fault {
    Fault::new(ExitCode::StoppedByUser, "nothing was started")
}

/// Whether a person broke a dialogue off.
pub(crate) fn broken_off(error: &InquireError) -> bool {
    matches!(
        error,
        InquireError::OperationCanceled | InquireError::OperationInterrupted
    )
}

/// A dialogue that a person broke off, or that could not be held.
pub(crate) fn dialogue_fault(error: &InquireError) -> Fault {
    match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => given_up(),
        InquireError::NotTTY
        | InquireError::InvalidConfiguration(_)
        | InquireError::IO(_)
        | InquireError::Custom(_) => Fault::internal("the terminal cannot be asked").because(error),
    }
}
