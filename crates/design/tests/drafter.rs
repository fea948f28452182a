//! The drafter on ten written briefs, on bad ones, on noise, and on what people say about a draft.
#![allow(
    clippy::unwrap_used,
    clippy::too_many_lines,
    clippy::type_complexity,
    reason = "tests and their tables"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use onus_design::critic::{self, Critique};
use onus_design::drafter::{
    BRIEF_BYTES_MAX, BriefError, DraftError, Hint, Part, STATEMENTS_MAX, draft, read_brief, revise,
};
use onus_design::{Action, ComponentKind, Intent, ValueKind, parse};

const BRIEFS: [&str; 10] = [
    "shop-checkout",
    "clinic-booking",
    "issue-tracker",
    "iot-console",
    "library-loans",
    "expense-reports",
    "event-tickets",
    "language-course",
    "recipe-planner",
    "warehouse-stock",
];

fn brief(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../examples/briefs/{name}.md"));
    std::fs::read_to_string(path).unwrap()
}

fn hints(critique: &Critique) -> Vec<Hint> {
    let hint = |finding: &critic::Finding| Hint {
        pointer: finding.pointer.clone(),
        rule_id: finding.rule_id.clone(),
        message: finding.message.clone(),
        fix: finding.fix.clone(),
    };
    critique.findings.iter().map(hint).collect()
}

fn is_valid(intent: &Intent) -> Result<(), String> {
    let text = serde_json::to_string(intent).map_err(|error| error.to_string())?;
    let again = parse(&text).map_err(|error| error.to_string())?;
    if again == *intent {
        Ok(())
    } else {
        Err("it reads as another intent".into())
    }
}

/// The last intent of a loop, its score in hundredths, and after how many revisions.
fn run_loop(text: &str, id: &str) -> (Intent, u16, usize) {
    let brief = read_brief(text).unwrap();
    let mut intent = draft(&brief, id).unwrap();
    for revisions in 0..10 {
        is_valid(&intent).unwrap_or_else(|error| panic!("{id}, revision {revisions}: {error}"));
        let critique = critic::critique(&intent);
        if critique.overall.hundredths() >= 8000 {
            return (intent, critique.overall.hundredths(), revisions);
        }
        intent = revise(&brief, &intent, &hints(&critique), None).unwrap().intent;
    }
    let overall = critic::critique(&intent).overall.hundredths();
    (intent, overall, 10)
}

/// Words that carry no content; a list of its own, so that the drafter's cannot hide what it lost.
const STOP_WORDS: &str = "a an the and or but of to in on at by for from with without as is are was were be been it its this that these \
    those i we you they he she them their our my your his her who which what when where how if then than so not no can could may must \
    should shall will would has have had do does did want wants like all any each every some same own other another one two first \
    second more most less few many much than too very only also just up out off over under into until before after again about \
    nothing nobody everybody everyone everything something none both there here as well today now both per such because instead \
    within while between during next last back away already even still yet least upon onto per s t";

/// A rough stem: enough to see `loans` in `loan` and `practising` in `practise`.
fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    for ending in [
        "ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "s", "e", "y",
    ] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() >= 3
        {
            return stem.to_owned();
        }
    }
    word.to_owned()
}

fn content_words(text: &str) -> BTreeSet<String> {
    let stop: BTreeSet<&str> = STOP_WORDS.split_ascii_whitespace().collect();
    let mut spaced = String::new();
    for letter in text.chars() {
        // `dueDate` and `due-date` are two words.
        if letter.is_uppercase() && spaced.ends_with(char::is_lowercase) {
            spaced.push(' ');
        }
        spaced.push(letter);
    }
    let words = spaced
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(str::to_lowercase);
    words
        .filter(|word| word.len() > 2 && !stop.contains(word.as_str()) && !word.chars().all(|c| c.is_ascii_digit()))
        .map(|word| stem(&word))
        .collect()
}

#[test]
fn ten_briefs_reach_the_threshold_with_their_own_words() {
    for name in BRIEFS {
        let text = brief(name);
        let lines = text.lines().count();
        assert!((15..=60).contains(&lines), "{name} has {lines} lines");
        let (intent, overall, revisions) = run_loop(&text, name);
        assert!(overall >= 8000, "{name} has {overall} after {revisions} revisions");
        let read = read_brief(&text).unwrap();
        let told: String = read
            .statements
            .iter()
            .filter(|one| one.part != Part::OutOfScope)
            .map(|one| format!("{} ", one.text))
            .collect();
        let (wanted, found) = (
            content_words(&told),
            content_words(&serde_json::to_string(&intent).unwrap()),
        );
        let lost: Vec<&String> = wanted.difference(&found).collect();
        let kept = wanted.len() - lost.len();
        assert!(
            kept * 100 >= wanted.len() * 70,
            "{name} keeps {kept} of {} words; lost: {lost:?}",
            wanted.len()
        );
        assert!(
            intent.user_flows.len() >= 5,
            "{name} has {} flows",
            intent.user_flows.len()
        );
        for flow in &intent.user_flows {
            assert!(
                (3..=6).contains(&flow.steps.len()),
                "{name}: `{}` has {} steps",
                flow.name,
                flow.steps.len()
            );
        }
    }
}

#[test]
fn the_same_brief_gives_the_same_bytes() {
    for name in BRIEFS {
        let text = brief(name);
        let once = serde_json::to_string(&run_loop(&text, name)).unwrap();
        // Line ends and a byte order mark are no content.
        let elsewhere = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(
            once,
            serde_json::to_string(&run_loop(&elsewhere, name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn a_story_becomes_actor_goal_flow_entity_and_types() {
    let text = "# Parcels\n\nAs a courier, I want to scan a parcel so that the sender knows where it is.\n\n\
        - As a sender I want to search my parcels by delivery date\n\nEach parcel has a number, a weight, a price, an email and a status (sent, lost).\n";
    let intent = draft(&read_brief(text).unwrap(), "parcels").unwrap();
    assert_eq!(intent.title, "Parcels");
    assert_eq!(intent.goals[0], "The sender knows where it is.");
    let flow = &intent.user_flows[0];
    assert_eq!((flow.name.as_str(), flow.actor.as_str()), ("Scan a parcel", "Courier"));
    assert_eq!(
        flow.outcome,
        "The courier has scanned a parcel, so that the sender knows where it is."
    );
    assert_eq!(
        intent.user_flows[1]
            .steps
            .iter()
            .map(|step| step.action)
            .collect::<Vec<_>>(),
        [Action::Navigate, Action::Enter, Action::Search, Action::View]
    );
    let kinds: Vec<(&str, ValueKind)> = intent
        .entity("Parcel")
        .unwrap()
        .attributes
        .iter()
        .map(|one| (one.name.as_str(), one.kind))
        .collect();
    for wanted in [
        ("number", ValueKind::Identifier),
        ("weight", ValueKind::Number),
        ("price", ValueKind::Money),
        ("email", ValueKind::Email),
        ("status", ValueKind::Choice),
        ("deliveryDate", ValueKind::Date),
        ("scannedAt", ValueKind::DateTime),
    ] {
        assert!(kinds.contains(&wanted), "{wanted:?} is not in {kinds:?}");
    }
    assert!(
        intent
            .entity("Parcel")
            .unwrap()
            .attributes
            .iter()
            .any(|one| one.description == "One of: sent, lost.")
    );
    assert!(
        intent
            .components
            .iter()
            .any(|one| one.kind == ComponentKind::View && one.data == ["Parcel"])
    );
    assert!(intent.interactions.iter().all(|one| !one.response.is_empty()));
}

#[test]
fn statements_of_every_kind_become_flows() {
    let check = |statement: &str, wanted: &[(&str, &str)]| {
        let intent = draft(
            &read_brief(&format!("# Desk\n\nBackground.\n\n{statement}\n")).unwrap(),
            "desk",
        )
        .unwrap();
        let flows: Vec<(&str, &str)> = intent
            .user_flows
            .iter()
            .map(|flow| (flow.actor.as_str(), flow.name.as_str()))
            .collect();
        assert_eq!(flows, wanted, "{statement}");
    };
    check("- Archive old tickets", &[("User", "Archive old tickets")]);
    check("### Agent\n- Close a ticket", &[("Agent", "Close a ticket")]);
    check("**Managers**\n\n1. Approve refunds", &[("Manager", "Approve refunds")]);
    check("- Order history", &[("User", "See order history")]);
    check(
        "- **Tracking** – follow a parcel",
        &[("User", "Tracking: follow a parcel")],
    );
    check("Agents reply to tickets.", &[("Agent", "Reply to tickets")]);
    check(
        "Articles can be searched by customers.",
        &[("Customer", "Search articles")],
    );
    check(
        "The user is notified by email.",
        &[("System", "Notify a user by email")],
    );
    check(
        "The system sends a receipt to the buyer.",
        &[("System", "Send a receipt to the buyer")],
    );
    check(
        "A grower can set limits and compare beds.",
        &[("Grower", "Set limits and compare beds")],
    );
    check(
        "Managers approve a report or reject it.",
        &[("Manager", "Approve a report or reject it")],
    );
    check(
        "We need a place where coordinators publish shifts and volunteers sign up for them.",
        &[("Coordinator", "Publish shifts"), ("Volunteer", "Sign up for shifts")],
    );
    check(
        "The clerk can:\n\n- scan a letter\n- print a label",
        &[("Clerk", "Scan a letter"), ("Clerk", "Print a label")],
    );
    check(
        "In order to save paper, as a clerk I want to scan letters",
        &[("Clerk", "Scan letters")],
    );
    check(
        "As a clerk\nI would like to scan letters\nSo that paper is saved",
        &[("Clerk", "Scan letters")],
    );
}

#[test]
fn relationships_come_from_what_the_brief_says() {
    let text = "# Band\n\n- Record a song\n- Plan a concert with a venue\n\nA song belongs to an album. An album has many songs. A concert has several songs.";
    let intent = draft(&read_brief(text).unwrap(), "band").unwrap();
    let links: Vec<String> = intent
        .data_model
        .entities
        .iter()
        .flat_map(|entity| {
            entity
                .relationships
                .iter()
                .map(|link| format!("{} {} {}", entity.name, link.name, link.target))
        })
        .collect();
    for wanted in [
        "Song belongs to Album",
        "Concert has Song",
        "Concert is planned with Venue",
    ] {
        assert!(links.iter().any(|link| link == wanted), "{wanted} is not in {links:?}");
    }
}

#[test]
fn technology_is_left_out_and_said_so() {
    let text = "# Notes\n\n- Write a note using React and Redux\n- Search notes by title via a REST API\n- React to a note of a colleague\n\nThe notes are stored in PostgreSQL and served by Django.";
    let read = read_brief(text).unwrap();
    let intent = draft(&read, "notes").unwrap();
    let json = serde_json::to_string(&intent).unwrap();
    for term in ["Redux", "REST", "API", "PostgreSQL", "Django", "using React"] {
        assert!(!json.contains(term), "{term} is in {json}");
    }
    assert_eq!(
        critic::critique(&intent)
            .dimension(critic::Dimension::FrameworkAgnosticism)
            .hundredths(),
        10_000
    );
    let lines: Vec<usize> = read.notes.iter().map(|note| note.line).collect();
    assert_eq!(lines, [3, 4, 7]);
    assert!(read.notes[0].message.contains("`React`, `Redux`"), "{:?}", read.notes);
}

#[test]
fn what_is_no_brief_is_refused_with_the_reason() {
    let refused: [(&str, fn(&BriefError) -> bool); 12] = [
        ("", |error| *error == BriefError::Empty),
        ("  \n\t\n", |error| *error == BriefError::Empty),
        ("# \n---\n***\n", |error| *error == BriefError::Empty),
        ("```\nlet a = 1;\n```\n", |error| *error == BriefError::Empty),
        ("<!-- nothing yet -->", |error| *error == BriefError::Empty),
        ("# Title only", |error| *error == BriefError::NothingToDo),
        ("# Weather\n\nThe sky is blue. Grass is green.", |error| {
            *error == BriefError::NothingToDo
        }),
        ("# Later\n\n## Out of scope\n\n- Search books", |error| {
            *error == BriefError::NothingToDo
        }),
        ("# A\n\nSearch \u{0} books", |error| {
            matches!(error, BriefError::NotText { line: 3, code: 0 })
        }),
        (
            "# Bücherei\n\nAls Leserin möchte ich Bücher im Katalog suchen, damit ich sie nicht am Schalter erfragen muss. Die Bibliothekarin verleiht Exemplare.",
            |error| matches!(error, BriefError::NotEnglish { .. }),
        ),
        (
            "図書館の利用者は本を検索して予約できる。 司書は 本を 貸し出す こと が できる。 返却 された 本 を 記録 する こと が できる。",
            |error| matches!(error, BriefError::NotEnglish { .. }),
        ),
        (
            "# Biblioteca\n\nLos lectores pueden buscar libros por título y reservar los ejemplares prestados para recibir un aviso cuando vuelvan.",
            |error| matches!(error, BriefError::NotEnglish { .. }),
        ),
    ];
    for (text, wanted) in refused {
        let error = read_brief(text).expect_err(text);
        assert!(wanted(&error), "{text:?}: {error:?}");
    }
    let large = "- Search books\n".repeat(BRIEF_BYTES_MAX / 15 + 1);
    assert_eq!(
        read_brief(&large),
        Err(BriefError::TooLarge {
            bytes: large.len(),
            max: BRIEF_BYTES_MAX
        })
    );
    let many = "- Search books\n".repeat(STATEMENTS_MAX + 1);
    assert_eq!(
        read_brief(&many),
        Err(BriefError::TooMany {
            statements: STATEMENTS_MAX + 1,
            max: STATEMENTS_MAX
        })
    );
    let read = read_brief("- Search books").unwrap();
    for id in ["", "a", "Books", "-books", "books/../x", "bücher"] {
        assert_eq!(draft(&read, id), Err(DraftError::FeatureId(id.to_owned())));
    }
}

#[test]
fn contradictory_briefs_name_both_lines() {
    let pairs = [
        ("The app must work offline.", "Devices must always be online."),
        ("There are no accounts.", "Users log in with a password."),
        (
            "Guests can order without waiting.",
            "Only registered members can order.",
        ),
        ("Courses are free of charge.", "Learners pay for courses in advance."),
        ("Patients get no emails.", "Patients receive an email about the visit."),
        ("Invoices can never be deleted.", "A clerk can delete invoices."),
        ("Reports must not be changed.", "Managers can edit reports."),
        ("Profiles are visible to everyone.", "Profiles are private."),
        ("Locations are not stored.", "Locations must be stored for a year."),
        ("The texts are only in English.", "The texts come in several languages."),
        ("Expenses need no approval.", "Expenses must be approved by a manager."),
        ("Bookings cannot be cancelled.", "Guests can cancel bookings."),
        ("Tickets get no refund.", "Visitors get a refund for tickets."),
        ("It runs on desktop only.", "It must work on phones."),
        ("A reader can have only one loan.", "A reader can have several loans."),
        ("Photos cannot be shared.", "Members can share photos."),
        ("Uploads are unlimited.", "Uploads are limited to ten files."),
        ("Readings are shown in real-time.", "Readings are updated once a day."),
        (
            "A member can borrow at most 3 books.",
            "A member can borrow at most 5 books.",
        ),
        ("Editors can publish articles.", "Editors cannot publish articles."),
    ];
    for (one, other) in pairs {
        let text = format!("# T\n\n- Search the archive\n\n{one}\n\n{other}\n");
        match read_brief(&text) {
            Err(BriefError::Contradiction {
                first_line: 5,
                second_line: 7,
                first,
                second,
                ..
            }) => assert_eq!((first.as_str(), second.as_str()), (one, other)),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn what_only_looks_like_a_contradiction_is_read() {
    let pairs = [
        ("Guests need no account.", "Members log in with a password."),
        ("A draft can be deleted.", "Invoices can never be deleted."),
        (
            "If the network is down, the app must work offline.",
            "Devices are always online at noon.",
        ),
        (
            "Students can borrow at most 3 books.",
            "Teachers can borrow at most 9 books.",
        ),
        ("Comments are private.", "Articles are visible to everyone."),
        (
            "Orders cannot be cancelled after shipping.",
            "Customers can cancel orders.",
        ),
        ("Users do not log in.", "There are no accounts."),
    ];
    for (one, other) in pairs {
        let text = format!("# T\n\n- Search the archive\n\n{one}\n\n{other}\n");
        if let Err(error) = read_brief(&text) {
            panic!("{text}: {error}");
        }
    }
}

#[test]
fn feedback_changes_the_intent_or_is_kept() {
    let read = read_brief(&brief("shop-checkout")).unwrap();
    let intent = draft(&read, "shop").unwrap();
    type Holds = fn(&Intent) -> bool;
    let wishes: [(&str, Holds); 12] = [
        ("Add a search for products", |after| {
            after.user_flows.iter().any(|flow| {
                flow.name == "Search products" && flow.steps.iter().any(|step| step.action == Action::Search)
            })
        }),
        ("Please add a phone number to the customer.", |after| {
            after
                .entity("Customer")
                .unwrap()
                .attributes
                .iter()
                .any(|one| one.name == "phoneNumber")
        }),
        ("remove the voucher", |after| {
            after.entity("Voucher").is_none() && !after.user_flows.iter().any(|flow| flow.name.contains("voucher"))
        }),
        ("Rename cart to basket", |after| {
            after.entity("Basket").is_some()
                && after.entity("Cart").is_none()
                && !serde_json::to_string(&after.user_flows).unwrap().contains(" cart")
        }),
        ("rename customer to shopper", |after| {
            after.user_flows.iter().all(|flow| flow.actor != "Customer") && after.user_flows[0].actor == "Shopper"
        }),
        ("The payment should ask for the billing address", |after| {
            let flow = after
                .user_flows
                .iter()
                .find(|flow| flow.name.starts_with("Pay"))
                .unwrap();
            flow.steps
                .iter()
                .any(|step| step.action == Action::Enter && step.description.contains("billing address"))
                && after
                    .entity("Order")
                    .unwrap()
                    .attributes
                    .iter()
                    .any(|one| one.name == "billingAddress")
        }),
        ("Show the total weight in the list of products", |after| {
            after
                .component("product-list")
                .unwrap()
                .description
                .contains("total weight")
        }),
        ("split the first flow into looking and deciding", |after| {
            after.user_flows[0].name == "Looking" && after.user_flows[1].name == "Deciding"
        }),
        ("Shop assistants can print invoices", |after| {
            after
                .user_flows
                .iter()
                .any(|flow| flow.actor == "Shop assistant" && flow.name == "Print invoices")
        }),
        ("Make it pop", |after| {
            after
                .goals
                .contains(&"A reviewer asked for this: make it pop.".to_owned())
        }),
        ("remove the hovercraft", |after| {
            after.goals.iter().any(|goal| goal.contains("hovercraft"))
        }),
        ("rename hovercraft to boat", |after| {
            after.goals.iter().any(|goal| goal.contains("hovercraft"))
        }),
    ];
    for (wish, holds) in wishes {
        let revision = revise(&read, &intent, &[], Some(wish)).unwrap();
        assert_ne!(revision.intent, intent, "{wish}");
        assert!(
            holds(&revision.intent),
            "{wish}: {:?}\n{:#?}",
            revision.applied,
            revision.intent
        );
        assert_eq!(revision.applied.len() + revision.not_applied.len(), 1, "{wish}");
        let kept = revision
            .intent
            .goals
            .iter()
            .any(|goal| goal.starts_with("A reviewer asked"));
        assert_eq!(revision.applied.is_empty(), kept, "{wish}");
        is_valid(&revision.intent).unwrap_or_else(|error| panic!("{wish}: {error}"));
        let overall = critic::critique(&revision.intent).overall.hundredths();
        assert!(
            overall >= 8000,
            "{wish}: {overall}, {:?}",
            critic::critique(&revision.intent).findings
        );
    }
    let several = revise(
        &read,
        &intent,
        &[],
        Some("- add a search\n- remove the hovercraft. Rename cart to basket; make it shine"),
    )
    .unwrap();
    assert_eq!(
        (several.applied.len(), several.not_applied.len()),
        (2, 2),
        "{several:?}"
    );
}

#[test]
fn every_injected_defect_is_mended_by_its_handler() {
    let read = read_brief(&brief("library-loans")).unwrap();
    let good = draft(&read, "loans").unwrap();
    assert!(critic::critique(&good).findings.is_empty());
    type Break = fn(&mut Intent);
    let defects: [(&str, Break); 36] = [
        ("title-empty", |one| one.title = "Untitled".into()),
        ("goals-few", |one| one.goals.truncate(1)),
        ("goal-thin", |one| one.goals[0] = "Better loans.".into()),
        ("flow-short", |one| one.user_flows[0].steps.truncate(1)),
        ("flow-actor", |one| one.user_flows[0].actor = "none".into()),
        ("flow-outcome", |one| one.user_flows[0].outcome = "Done.".into()),
        ("view-thin", |one| one.components[0].description = "Loans.".into()),
        ("control-silent", |one| {
            one.interactions.retain(|known| known.component != "renew-loan")
        }),
        ("control-error", |one| {
            one.interactions
                .iter_mut()
                .filter(|known| known.component == "renew-loan")
                .for_each(|known| known.response = "The loan is renewed.".into())
        }),
        ("interaction-none", |one| one.interactions.clear()),
        ("entity-thin", |one| one.data_model.entities[0].attributes.truncate(1)),
        ("step-component", |one| {
            one.user_flows[0].steps[1].components = vec!["nowhere".into()]
        }),
        ("interaction-component", |one| {
            one.interactions[0].component = "nowhere".into()
        }),
        ("parent-unknown", |one| {
            one.components[1].parent = Some("nowhere".into())
        }),
        ("part-outside", |one| {
            one.components
                .iter_mut()
                .filter(|part| part.kind == ComponentKind::Control)
                .for_each(|part| part.parent = None)
        }),
        ("view-nested", |one| {
            let second = one
                .components
                .iter()
                .filter(|part| part.kind == ComponentKind::View)
                .nth(1)
                .unwrap()
                .id
                .clone();
            one.components[0].parent = Some(second);
        }),
        ("change-data", |one| {
            one.components
                .iter_mut()
                .filter(|part| part.id.contains("loan"))
                .for_each(|part| part.data.clear())
        }),
        ("id-twice", |one| one.user_flows[1].id = one.user_flows[0].id.clone()),
        ("name-twice", |one| {
            one.user_flows[1].name = one.user_flows[0].name.clone()
        }),
        ("placeholder", |one| {
            one.goals[0] = "TBD for readers of the library.".into()
        }),
        ("vague", |one| {
            one.components[0].description =
                "An intuitive page about books, easily found, where readers search the catalogue.".into()
        }),
        ("description-short", |one| {
            one.data_model.entities[0].description = "A copy.".into()
        }),
        ("description-empty", |one| {
            one.components[1].description = "Shows the data of the list.".into()
        }),
        ("description-twice", |one| {
            one.components[1].description = one.components[2].description.clone()
        }),
        ("sentence-long", |one| {
            one.goals[0] = format!("Readers {}know where it is.", "find the book, and ".repeat(15))
        }),
        ("term-framework", |one| {
            one.components[0].description =
                "A page about copies, built with jQuery, where readers search the catalogue.".into()
        }),
        ("term-database", |one| {
            one.goals[0] = "Loans are kept in PostgreSQL so that no card is lost.".into()
        }),
        ("data-unknown", |one| one.components[1].data = vec!["Ghost".into()]),
        ("data-none", |one| one.components[1].data.clear()),
        ("entity-key", |one| {
            one.data_model.entities[1]
                .attributes
                .retain(|known| known.kind != ValueKind::Identifier)
        }),
        ("entity-required", |one| {
            one.data_model.entities[1]
                .attributes
                .iter_mut()
                .for_each(|known| known.required = false)
        }),
        ("attribute-twice", |one| {
            let again = one.data_model.entities[1].attributes[1].clone();
            one.data_model.entities[1].attributes.push(again);
        }),
        ("attribute-kind", |one| {
            let loan = one
                .data_model
                .entities
                .iter_mut()
                .find(|entity| entity.name == "Loan")
                .unwrap();
            loan.attributes
                .iter_mut()
                .filter(|known| known.name == "dueDate")
                .for_each(|known| known.kind = ValueKind::Text);
        }),
        ("choice-unsaid", |one| {
            one.data_model
                .entities
                .iter_mut()
                .flat_map(|entity| &mut entity.attributes)
                .filter(|known| known.kind == ValueKind::Choice)
                .for_each(|known| known.description.clear())
        }),
        ("relation-unknown", |one| {
            one.data_model.entities[0].relationships[0].target = "Ghost".into()
        }),
        ("entity-twice", |one| {
            let again = one.data_model.entities[0].clone();
            one.data_model.entities.push(again);
        }),
    ];
    for (rule, defect) in defects {
        let mut broken = good.clone();
        defect(&mut broken);
        let mut critique = critic::critique(&broken);
        assert!(
            critique.findings.iter().any(|finding| finding.rule_id == rule),
            "{rule} is not found: {:?}",
            critique.findings
        );
        for _ in 0..3 {
            let revision = revise(&read, &broken, &hints(&critique), None).unwrap();
            assert_eq!(
                revision.applied.len() + revision.not_applied.len(),
                critique.findings.len(),
                "{rule}"
            );
            broken = revision.intent;
            critique = critic::critique(&broken);
        }
        assert!(
            !critique.findings.iter().any(|finding| finding.rule_id == rule),
            "{rule} stays: {:?}",
            critique.findings
        );
        assert!(
            critique.overall.hundredths() >= 9500,
            "{rule}: {} {:?}",
            critique.overall,
            critique.findings
        );
    }
}

#[test]
fn an_unknown_finding_is_reported_and_changes_nothing() {
    let read = read_brief("- Search books").unwrap();
    let intent = draft(&read, "books").unwrap();
    let wrong = [
        "/userFlows/99/steps/1",
        "/components/1/never",
        "/nowhere",
        "",
        "/dataModel/entities/x",
        "no pointer",
        "/goals/18446744073709551616",
    ];
    for pointer in wrong {
        let hint = Hint {
            pointer: pointer.into(),
            rule_id: "made-up".into(),
            message: "unlike ` anything".into(),
            fix: "none".into(),
        };
        let revision = revise(&read, &intent, &[hint], None).unwrap();
        is_valid(&revision.intent).unwrap();
        assert_eq!(revision.applied.len() + revision.not_applied.len(), 1, "{pointer}");
    }
}

/// A fixed sequence of numbers, so that every run tries the same noise.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

#[test]
fn the_largest_brief_is_drafted_within_the_schema() {
    let verbs = ["search", "approve", "delete", "print", "book", "see"];
    let lines = (0..STATEMENTS_MAX).map(|at| match at % 4 {
        0 => format!("- {} the record{} of clerk {at}", verbs[at % 6], at % 60),
        1 => format!("A record{} has a price, a date and a note{at}.\n", at % 60),
        2 => format!("The room number {at} is blue and stays warm.\n"),
        _ => format!("When the record{} is late, the clerk {at} is told.\n", at % 60),
    });
    let text = format!("# Large\n\n{}", lines.collect::<Vec<_>>().join("\n"));
    let read = read_brief(&text).unwrap();
    let intent = draft(&read, "large").unwrap();
    is_valid(&intent).unwrap();
    is_valid(
        &revise(&read, &intent, &hints(&critic::critique(&intent)), Some("add a search"))
            .unwrap()
            .intent,
    )
    .unwrap();
}

#[test]
fn noise_never_panics_and_never_gives_an_invalid_intent() {
    let pieces = [
        "As a ",
        "As an",
        " I want to ",
        "so that",
        "- ",
        "* ",
        "# ",
        "\n",
        "\n\n",
        "| ",
        "**",
        "`",
        "[",
        "](",
        ")",
        "search",
        "books",
        "each order has",
        ", ",
        ": ",
        " – ",
        "é",
        "ﬁ",
        "日本",
        "🙂",
        "’s",
        "'",
        "--",
        "---\n",
        "```\n",
        "<!-- ",
        "-->",
        "<b>",
        "can",
        "cannot",
        "when",
        "If ",
        "a",
        "the list of",
        "user",
        "the",
        "delete",
        "add",
        "price",
        "\t",
        "1. ",
        "is",
        "with",
        "and",
        "or",
        "to",
        "(",
        "belongs to",
        "has many",
        "React",
        "“",
        "\u{200b}",
        "İ",
        "ß",
        "e.g.",
        ".",
        ";",
        "we want",
        "ing",
        "ies",
    ];
    let originals: Vec<String> = BRIEFS.iter().map(|name| brief(name)).collect();
    let mut numbers = Numbers(4);
    let mut drafted = 0;
    for round in 0..200 {
        let text: String = if round % 2 == 0 {
            (0..numbers.below(120))
                .map(|_| pieces[numbers.below(pieces.len())].to_owned() + if numbers.below(2) == 0 { " " } else { "" })
                .collect()
        } else {
            // A written brief with pieces cut out and put in.
            let mut letters: Vec<char> = originals[numbers.below(originals.len())].chars().take(700).collect();
            for _ in 0..numbers.below(30) {
                let at = numbers.below(letters.len());
                let end = (at + numbers.below(12)).min(letters.len());
                letters.splice(at..end, pieces[numbers.below(pieces.len())].chars());
            }
            letters.into_iter().collect()
        };
        let Ok(read) = read_brief(&text) else { continue };
        let intent = draft(&read, "noise").unwrap();
        is_valid(&intent).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let hints = hints(&critic::critique(&intent));
        let wish: String = (0..8)
            .map(|_| pieces[numbers.below(pieces.len())].to_owned() + " ")
            .collect();
        let revision = revise(&read, &intent, &hints, Some(&wish)).unwrap();
        is_valid(&revision.intent).unwrap_or_else(|error| panic!("{text:?} {wish:?}: {error}"));
        drafted += 1;
    }
    assert!(
        drafted > 50,
        "only {drafted} of 200 were drafted: the noise tests nothing"
    );
}
