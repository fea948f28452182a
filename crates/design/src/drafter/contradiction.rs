//! Finds statements that cannot both be met, so that nobody approves a design for a brief that has no solution.

use super::brief::{BriefError, Form, Statement};
use super::english;
use super::text::{Token, clip, tokens};

/// What both statements must have in common to contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The whole feature.
    Everything,
    /// The same people, or one of them says nobody in particular.
    SameActor,
    /// At least one noun.
    SameThing,
}

/// `a|b` is one of both, `*` is up to three words; a word stands for all forms of a verb.
struct Pair {
    about: &'static str,
    scope: Scope,
    one: &'static [&'static str],
    other: &'static [&'static str],
}

const NO: &str = "no|without|never|not|nobody|cannot|don't|doesn't|mustn't";

const PAIRS: [Pair; 22] = [
    Pair {
        about: "working without a connection",
        scope: Scope::Everything,
        one: &[
            "work|usable|available|run|works * offline",
            "offline * must|required",
            "without * connection|internet|network",
        ],
        other: &[
            "always|only|constantly|permanently * online|connected",
            "NO * offline",
            "requires|require|needs|need * connection|internet|network",
        ],
    },
    Pair {
        about: "accounts",
        scope: Scope::SameActor,
        one: &[
            "NO * account|accounts|login|registration|sign-in|sign-up",
            "anonymous|anonymously",
        ],
        other: &[
            "log|logs|sign|signs in|up",
            "login|registration|account|accounts * required|needed|mandatory|necessary",
            "must|need * register|log-in|account",
        ],
    },
    Pair {
        about: "guests",
        scope: Scope::Everything,
        one: &["guest|guests * can|may * order|buy|pay|book|checkout", "guest checkout"],
        other: &["NO * guest|guests", "only * registered|members"],
    },
    Pair {
        about: "payment",
        scope: Scope::SameThing,
        one: &[
            "free of charge",
            "for free",
            "costs nothing",
            "NO * payment|payments|fee|fees",
        ],
        other: &[
            "pay|pays",
            "must|have * pay",
            "payment|fee * required|due|charged",
            "charge|charges|charged",
        ],
    },
    Pair {
        about: "notifications",
        scope: Scope::SameActor,
        one: &["NO * notifications|notification|emails|reminders|alerts"],
        other: &[
            "send|sends|get|gets|receive|receives * notification|notifications|email|emails|reminder|reminders|alert|alerts",
            "notify|notifies|notified|remind|reminds|reminded",
        ],
    },
    Pair {
        about: "deleting",
        scope: Scope::SameThing,
        one: &["NO * deleted|delete|removed|erased", "kept|keep|stored forever"],
        other: &[
            "can|may|must|should * delete|deleted|erase|erased",
            "deleted|erased after|automatically",
        ],
    },
    Pair {
        about: "changing afterwards",
        scope: Scope::SameThing,
        one: &[
            "NO * changed|edited|modified|editable|altered",
            "immutable|read-only|unchangeable",
        ],
        other: &["can|may|must * edit|change|modify|edited|changed|modified"],
    },
    Pair {
        about: "who can see it",
        scope: Scope::SameThing,
        one: &[
            "public|visible * everyone|everybody|anyone|all",
            "everyone|everybody|anyone can|may see|view|read",
        ],
        other: &[
            "NO * public|visible",
            "private|confidential|secret",
            "only * owner|author|manager can|may see|view|read",
        ],
    },
    Pair {
        about: "stored data",
        scope: Scope::SameThing,
        one: &["NO * stored|store|saved|kept|logged|recorded"],
        other: &["must|are|is * stored|saved|kept|logged|recorded"],
    },
    Pair {
        about: "how many languages",
        scope: Scope::Everything,
        one: &["only * english|one-language", "single language", "one language only"],
        other: &[
            "multilingual",
            "several|many|two|three|multiple|different languages",
            "translated into",
        ],
    },
    Pair {
        about: "approval",
        scope: Scope::SameThing,
        one: &["NO * approval|approved|approve", "automatically approved"],
        other: &[
            "must|needs|need|requires|require * approved|approval",
            "approval * required|needed|mandatory",
        ],
    },
    Pair {
        about: "working by hand",
        scope: Scope::SameThing,
        one: &["fully automatic|automated", "NO * manual|manually|by-hand"],
        other: &["only|always|must * manually|by-hand", "manual * required|only"],
    },
    Pair {
        about: "how many at a time",
        scope: Scope::SameThing,
        one: &["only one", "at most one", "exactly one", "NO * more than one"],
        other: &["several|many|multiple|unlimited|any-number", "as many as", "NO limit"],
    },
    Pair {
        about: "limits",
        scope: Scope::SameThing,
        one: &["unlimited", "NO * limit|limits|maximum"],
        other: &["at most", "maximum of", "limited to", "up to", "NO * more than"],
    },
    Pair {
        about: "cancelling",
        scope: Scope::SameThing,
        one: &[
            "NO * cancelled|canceled|cancel|cancellation",
            "binding|final|irrevocable",
        ],
        other: &["can|may|must * cancel|cancelled|canceled"],
    },
    Pair {
        about: "refunds",
        scope: Scope::SameThing,
        one: &["NO * refund|refunds|refunded|money-back", "non-refundable"],
        other: &[
            "can|may|must|are|is|get|gets|receive|receives * refund|refunded|refunds",
            "refundable",
        ],
    },
    Pair {
        about: "phones",
        scope: Scope::Everything,
        one: &[
            "only * desktop|computers",
            "desktop only",
            "NO * mobile|phone|phones|smartphones",
        ],
        other: &[
            "must|should|works|work|used|usable|runs * phone|phones|smartphone|mobile",
            "mobile first|only",
        ],
    },
    Pair {
        about: "printing",
        scope: Scope::SameThing,
        one: &["paperless", "NO * print|printed|paper|printing"],
        other: &["can|may|must|are|is|be * print|printed", "printed * required"],
    },
    Pair {
        about: "names of people",
        scope: Scope::SameThing,
        one: &["anonymous|anonymously|anonymised|anonymized", "NO * names|identity"],
        other: &["shows|show|with|under * name|names|real-name", "identified|signed by"],
    },
    Pair {
        about: "how current it is",
        scope: Scope::SameThing,
        one: &["real-time|realtime|live|immediately|instantly"],
        other: &[
            "once a day|week|month|night",
            "nightly|overnight only",
            "only * daily|weekly|monthly|nightly",
        ],
    },
    Pair {
        about: "sharing",
        scope: Scope::SameThing,
        one: &["NO * shared|share|sharing"],
        other: &["can|may|must * share|shared"],
    },
    Pair {
        about: "searching",
        scope: Scope::SameThing,
        one: &["NO * search|searched|searchable"],
        other: &["can|may|must|want|need * search|searched", "searchable"],
    },
];

/// Words that make a statement one case among others.
const HEDGES: [&str; 14] = [
    "if",
    "unless",
    "except",
    "optional",
    "optionally",
    "otherwise",
    "when",
    "instead",
    "sometimes",
    "later",
    "while",
    "until",
    "before",
    "after",
];

/// The first two statements that contradict each other, in the order of the table.
pub(super) fn find(statements: &[Statement]) -> Option<BriefError> {
    let read: Vec<Vec<Token>> = statements.iter().map(|statement| tokens(&statement.text)).collect();
    for pair in &PAIRS {
        for (first, one) in read.iter().enumerate().filter(|(_, one)| holds(one, pair.one)) {
            for (second, other) in read.iter().enumerate().filter(|(_, other)| holds(other, pair.other)) {
                if first != second && !hedged(one) && !hedged(other) && in_scope(pair.scope, one, other) {
                    return Some(contradiction(pair.about, &statements[first], &statements[second]));
                }
            }
        }
    }
    opposite(statements, &read)
}

fn contradiction(about: &str, one: &Statement, other: &Statement) -> BriefError {
    let (first, second) = if one.line <= other.line {
        (one, other)
    } else {
        (other, one)
    };
    BriefError::Contradiction {
        about: about.to_owned(),
        first_line: first.line,
        first: clip(&first.text, 160),
        second_line: second.line,
        second: clip(&second.text, 160),
    }
}

fn hedged(words: &[Token]) -> bool {
    words.iter().any(|token| token.is_one_of(&HEDGES))
}

fn holds(words: &[Token], patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| {
        let parts: Vec<String> = pattern
            .split(' ')
            .map(|part| if part == "NO" { NO.to_owned() } else { part.to_owned() })
            .collect();
        let negative = pattern.starts_with("NO") || pattern.starts_with("without");
        (0..words.len()).any(|at| matches(&words[at..], &parts) && (negative || !negated(words, at)))
    })
}

/// Whether a negation stands in the four words before, or right behind a modal verb.
fn negated(words: &[Token], at: usize) -> bool {
    let from = at.saturating_sub(4);
    let is_no = |token: &Token| NO.split('|').any(|word| token.is(word));
    words[from..at].iter().any(is_no) || words[at..].iter().take(3).any(is_no)
}

fn matches(words: &[Token], parts: &[String]) -> bool {
    let Some((part, rest)) = parts.split_first() else {
        return true;
    };
    if part == "*" {
        return (0..=3.min(words.len())).any(|skip| matches(&words[skip..], rest));
    }
    let Some(word) = words.first() else { return false };
    part.split('|').any(|alternative| {
        // `by-hand` in the table is two words in a text.
        let spelled: Vec<&str> = alternative.split('-').collect();
        if spelled.len() > 1 && !word.is(alternative) {
            return spelled.len() <= words.len()
                && spelled.iter().zip(words).all(|(part, word)| word.is(part))
                && matches(&words[spelled.len()..], rest);
        }
        word.is(alternative) && matches(&words[1..], rest)
    })
}

fn people(words: &[Token]) -> Vec<String> {
    words
        .iter()
        .filter(|token| english::is_person(&token.lower))
        .map(|token| english::singular(&token.lower))
        .collect()
}

fn things(words: &[Token]) -> Vec<String> {
    let is_thing = |token: &&Token| {
        token.is_word()
            && !english::is_function_word(&token.lower)
            && !english::is_qualifier(&token.lower)
            && !english::is_person(&token.lower)
            && !english::is_abstract(&token.lower)
    };
    words
        .iter()
        .filter(is_thing)
        .map(|token| english::singular(&token.lower))
        .collect()
}

fn in_scope(scope: Scope, one: &[Token], other: &[Token]) -> bool {
    let (first, second) = (people(one), people(other));
    let general = |names: &[String]| names.is_empty() || names.iter().any(|name| name == "user" || name == "person");
    let same_people = general(&first) || general(&second) || first.iter().any(|name| second.contains(name));
    match scope {
        Scope::Everything => true,
        Scope::SameActor => same_people,
        // Verbs of the pattern itself must not count as the common thing.
        Scope::SameThing => {
            let nouns = |words: &[Token]| -> Vec<String> {
                things(words).into_iter().filter(|word| !is_table_word(word)).collect()
            };
            let second_nouns = nouns(other);
            same_people && nouns(one).iter().any(|noun| second_nouns.contains(noun))
        }
    }
}

fn is_table_word(word: &str) -> bool {
    PAIRS
        .iter()
        .flat_map(|pair| pair.one.iter().chain(pair.other))
        .any(|pattern| {
            pattern
                .split([' ', '|'])
                .any(|part| part == word || english::verb_base(part).is_some_and(|base| base == word))
        })
}

/// `Members can lend books` and `Members cannot lend books`; `at most 3 loans` and `at most 5 loans`.
fn opposite(statements: &[Statement], read: &[Vec<Token>]) -> Option<BriefError> {
    let claims: Vec<Option<Claim>> = statements
        .iter()
        .zip(read)
        .map(|(statement, words)| claim(statement, words))
        .collect();
    for (first, one) in claims.iter().enumerate() {
        for (second, other) in claims.iter().enumerate().skip(first + 1) {
            let (Some(one), Some(other)) = (one, other) else {
                continue;
            };
            if one.subject == other.subject
                && one.rest == other.rest
                && (one.allowed != other.allowed || one.number != other.number)
            {
                return Some(contradiction("the same thing", &statements[first], &statements[second]));
            }
        }
    }
    None
}

/// Who may do what, and how often.
struct Claim {
    subject: Vec<String>,
    allowed: bool,
    rest: Vec<String>,
    number: Option<String>,
}

fn claim(statement: &Statement, words: &[Token]) -> Option<Claim> {
    if !matches!(statement.form, Form::Sentence | Form::Bullet) || hedged(words) {
        return None;
    }
    let modal = words
        .iter()
        .position(|token| token.is_one_of(&["can", "may", "must", "cannot", "can't", "mustn't"]))?;
    let after = &words[modal + 1..];
    let negative = |token: &Token| token.is_one_of(&["not", "never"]);
    let allowed = !words[modal].is_one_of(&["cannot", "can't", "mustn't"]) && !after.first().is_some_and(negative);
    let content = |part: &[Token]| -> Vec<String> {
        let wanted = |token: &&Token| token.is_word() && !english::is_function_word(&token.lower);
        part.iter()
            .filter(wanted)
            .map(|token| english::verb_base(&token.lower).unwrap_or_else(|| english::singular(&token.lower)))
            .collect()
    };
    let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    let (numbers, rest): (Vec<String>, Vec<String>) = content(after).into_iter().partition(is_number);
    let subject = content(&words[..modal]);
    (!subject.is_empty() && rest.len() > 1).then(|| Claim {
        subject,
        allowed,
        rest,
        number: numbers.into_iter().next(),
    })
}
