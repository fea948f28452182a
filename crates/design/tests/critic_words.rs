//! Which sentences name a technology, which do not, and which are vague.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::wildcard_enum_match_arm,
    clippy::print_stdout,
    reason = "tests"
)]

mod graded;

use std::collections::BTreeSet;

use onus_design::critic::{Dimension, critique, ordinary_terms, plain_terms, vague_phrases};

/// What the critic says about a goal with this text.
fn found(sentence: &str, dimension: Dimension) -> Vec<String> {
    let mut intent = graded::best("parcel");
    intent.goals.push(sentence.to_string());
    let own = critique(&intent)
        .findings
        .into_iter()
        .filter(|one| one.dimension == dimension);
    own.map(|one| format!("{}: {}", one.rule_id, one.message)).collect()
}

const ORDINARY: [&str; 100] = [
    "The reaction of the audience is counted after each talk",
    "Nurses react to an alarm within a minute",
    "Guests react quickly when a table is free",
    "The chart shows the angular momentum of the wheel",
    "An angular frame surrounds each photo",
    "The spring season opens in March",
    "The spring collection is shown before the summer one",
    "Gardeners plan spring planting by bed",
    "Express delivery costs three euros more",
    "Customers choose express checkout at the counter",
    "An express train skips four stations",
    "Members fast on ember days",
    "The last ember is put out before the camp closes",
    "The next step is shown in bold",
    "The next component of the engine is inspected",
    "Patients go to the waiting room on the second floor",
    "Riders go on to the next stop",
    "A swift reply is rewarded with a star",
    "The swift nests under the roof in May",
    "A rust-coloured badge marks old tickets",
    "Inspectors note rust on the hull",
    "Each docker at the dock signs the loading list",
    "The docker dock is closed at night",
    "Each node of the tree is a relative",
    "A node in the family tree opens the person",
    "The python in the terrarium is fed on Fridays",
    "Visitors see the python from behind glass",
    "Java coffee is sold by the pound",
    "The tour to Java starts in May",
    "A ruby ring is insured for its value",
    "Jewellers list each ruby gemstone by weight",
    "The curtain rails are measured by the fitter",
    "Trains leave the rails to the maintenance crew at night",
    "A flask of tea is added to the picnic",
    "The laboratory labels each flask",
    "The phoenix is the emblem of the club",
    "Flights to Phoenix are listed by hour",
    "Butterflies flutter across the garden map",
    "The theatre foundation pays half of the ticket",
    "A leaflet explains the exhibition",
    "The meteor shower is announced a day before",
    "Astro photographers book the dark site",
    "The great Gatsby is read in the spring course",
    "A remix of the song is uploaded by the band",
    "The storybook is read aloud to children",
    "The oracle of the game gives one hint a day",
    "Cassandra receives the morning shift",
    "Franz Kafka is on the reading list",
    "Kafka novels are lent for four weeks",
    "Azure tiles are counted per square metre",
    "The lambda sign marks wave lengths in the lesson",
    "The dart hits are counted by the referee",
    "Players throw a dart three times",
    "Opera lovers buy seats at La Scala",
    "The elixir is stirred for ten minutes",
    "Basic tickets can be changed until noon",
    "The melody in C# minor is played twice",
    "Julia approves the holiday of her team",
    "The parcel is left with a neighbour",
    "Guests gulp down water at the finish",
    "Soldiers grunt during the exercise",
    "The snowflake pattern is chosen for winter cards",
    "Electron beams are switched off before cleaning",
    "The ionic bond is drawn by the pupil",
    "Unity of the team is asked about each month",
    "Unreal prices are reported to the moderator",
    "A tailwind shortens the flight by ten minutes",
    "The svelte silhouette is offered in three sizes",
    "A restful night is worth two points",
    "Mr Jenkins signs the delivery note",
    "Settlers terraform the valley in the board game",
    "The redshift of a galaxy is written into the log",
    "Service workers enter their hours by Friday",
    "The event bus leaves from the stadium at ten",
    "Guests join table 4 with a code",
    "Local storage units are rented by the month",
    "Ajax plays at home on Sunday",
    "The bridge inspector rates the solidity of each pillar",
    "The struts of the bicycle are checked yearly",
    "Bootstrap loans help founders in the first year",
    "The backbone of the fish is removed before cooking",
    "Access to the archive ends at six",
    "Apache is the name of the rafting boat",
    "Members vote on the class trip",
    "The class register is signed each morning",
    "A container ship is tracked on the sea map",
    "The container is weighed before loading",
    "The view from the tower is shown for each hour",
    "Props for the stage are borrowed for a week",
    "The hook on the wall holds the keys",
    "A form is signed by both parents",
    "The state of the road is reported by drivers",
    "The script of the play is shared with the actors",
    "Order #123456 is repeated with one tap",
    "Hello <name> is printed on the card",
    "The invoice is sent as a PDF and the list as a CSV file",
    "A QR code opens the menu of the table",
    "The profit margin: 5 percent is shown to owners",
    "Prices < 10 euros and > 5 euros are marked",
    "Readers open the link in the message, e.g. on a phone",
];

const NAMED: [&str; 60] = [
    "A React component shows the cart",
    "The list uses React hooks to stay fresh",
    "The page is built with React",
    "Built with Angular, the form is checked at once",
    "An Angular service loads the rooms",
    "The Vue page opens first",
    "The Svelte store keeps the basket",
    "Next.js renders the shop",
    "The page is styled with Tailwind CSS",
    "Tailwind classes make the button blue",
    "A Bootstrap modal asks again",
    "Material UI icons mark the rows",
    "The state lives in Redux",
    "jQuery hides the banner",
    "Django serves the pages",
    "A Flask app answers",
    "Ruby on Rails sends the mail",
    "A Rails controller checks the order",
    "Laravel queues the mails",
    "Spring Boot starts the service",
    "The Spring framework wires it",
    "An Express server answers the phone app",
    "Express.js answers",
    "ASP.NET shows the form",
    "The old .NET client is replaced",
    "Flutter widgets show the map",
    "SwiftUI draws the card",
    "An Electron app runs at the counter",
    "Orders are kept in PostgreSQL",
    "MySQL keeps the members",
    "A MongoDB document for each guest",
    "Redis remembers the session",
    "Elasticsearch finds the book",
    "A foreign key ties the order to the guest",
    "The SQL report is printed",
    "An SQLite file holds the notes",
    "DynamoDB keeps the scores",
    "Photos go to an S3 bucket",
    "The service runs on AWS",
    "Kubernetes restarts the shop",
    "A Docker container for each clinic",
    "Hosted on Azure, the archive is safe",
    "Firebase sends the messages",
    "Deployed to Vercel every night",
    "A cron job closes the day",
    "A Kafka topic for each room",
    "Node.js reads the meters",
    "The rules are written in JavaScript",
    "Written in Go, the counter is quick",
    "A Python script sorts the mail",
    "TypeScript types for each order",
    "The HTML form asks for the name",
    "A REST endpoint returns the seats",
    "GraphQL asks for the seats",
    "A webhook tells the shop",
    "A WebSocket pushes the score",
    "The total comes from useState",
    "A <div> holds the price",
    "SELECT * FROM orders gives the list",
    "The file Cart.jsx shows the cart",
];

#[test]
fn ordinary_sentences_name_no_technology() {
    let alarms: Vec<_> = ORDINARY
        .iter()
        .map(|one| (one, found(one, Dimension::FrameworkAgnosticism)))
        .collect();
    let alarms: Vec<_> = alarms.into_iter().filter(|(_, found)| !found.is_empty()).collect();
    assert!(alarms.is_empty(), "{alarms:#?}");
}

#[test]
fn sentences_with_technology_are_found() {
    let missed: Vec<_> = NAMED
        .iter()
        .filter(|one| found(one, Dimension::FrameworkAgnosticism).is_empty())
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_lexicons_are_as_large_as_promised() {
    let terms: BTreeSet<&str> = plain_terms()
        .map(|(term, _)| term)
        .chain(ordinary_terms().map(|(term, ..)| term))
        .collect();
    assert!(terms.len() >= 150, "{}", terms.len());
    let vague: BTreeSet<&str> = vague_phrases().collect();
    assert!(vague.len() >= 80, "{}", vague.len());
    // None stands there twice, and each is written as the reader of words sees it.
    assert_eq!(terms.len(), plain_terms().count() + ordinary_terms().count());
    assert_eq!(vague.len(), vague_phrases().count());
    for term in terms.iter().chain(&vague) {
        assert_eq!(*term, term.trim().to_lowercase().replace(['-', '\n'], " "));
    }
}

#[test]
fn every_term_and_every_vague_phrase_is_found_in_a_sentence() {
    for (term, _) in plain_terms() {
        let sentence = format!("The clerk reads about {term} on the notice board");
        assert!(!found(&sentence, Dimension::FrameworkAgnosticism).is_empty(), "{term}");
    }
    for (term, _, companions) in ordinary_terms() {
        for companion in companions.split_whitespace() {
            let sentence = format!("The clerk reads about the {term} {companion} on the notice board");
            assert!(
                !found(&sentence, Dimension::FrameworkAgnosticism).is_empty(),
                "{term} {companion}"
            );
        }
    }
    for phrase in vague_phrases() {
        assert!(
            !found(&format!("The clerk reads {phrase} parcels"), Dimension::Clarity).is_empty(),
            "{phrase}"
        );
    }
}

#[test]
fn vague_words_are_found_as_whole_words_only() {
    for vague in [
        "Recipients see prices, hours, etc.",
        "A user-friendly list of parcels is shown",
        "A user friendly list of parcels is shown",
        "The system handles late parcels",
        "Parcels are sorted as needed by the staff",
        "An APPROPRIATE message tells the recipient",
        "Recipients get some kind of message",
    ] {
        assert_eq!(found(vague, Dimension::Clarity).len(), 1, "{vague}");
    }
    for clear in [
        "The etching is shown beside its title",
        "The door handle is turned twice",
        "Smart meters are read each hour",
        "The nicest window of the month wins a book",
        "Recipients see how often the van came",
        "Results relevant to the chosen day come first",
        "Staff mishandled four parcels last year",
    ] {
        assert_eq!(found(clear, Dimension::Clarity), Vec::<String>::new(), "{clear}");
    }
}

#[test]
fn technology_in_names_is_found_and_ordinary_words_in_names_are_not() {
    let in_id = |id: &str| {
        let mut intent = graded::best("parcel");
        intent.feature_id = id.to_string();
        critique(&intent)
            .dimension(Dimension::FrameworkAgnosticism)
            .hundredths()
            < 10_000
    };
    for id in ["redux-store", "postgres-list", "html-page"] {
        assert!(in_id(id), "{id}");
    }
    for id in ["express-checkout", "go-home", "next-step", "spring-sale", "node-list"] {
        assert!(!in_id(id), "{id}");
    }
}
