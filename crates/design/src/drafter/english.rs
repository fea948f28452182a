//! As much English as the drafter needs: word lists, word forms, and how values are named.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::intent::{Action, ValueKind};

type Words = LazyLock<BTreeSet<&'static str>>;

macro_rules! words {
    ($text:literal) => {
        LazyLock::new(|| $text.split_ascii_whitespace().collect())
    };
}

/// Words that carry no content of their own.
static FUNCTION_WORDS: Words = words!(
    "a an the this that these those my your his her its our their i you he she it we they me him them us \
    myself themselves himself herself itself who whom whose which what where when why how and or but nor so if then else than as at by \
    for from in into of off on onto out over per to up with within without about above across after against along among around before \
    behind below beneath beside between beyond despite down during except inside like near next outside past since through throughout \
    till toward towards under until upon via because while although though unless whether both either neither not no never any some all \
    each every many much more most few fewer less least several other another such same own only just also too very even still already \
    yet again once twice ever always often usually sometimes can could may might must shall should will would ought need needs be am is \
    are was were been being do does did doing done have has had having want wants wanted wish wishes like would let lets able there here \
    now today soon later everything something anything nothing everyone someone anyone nobody one two three four five six seven eight \
    nine ten etc eg ie e.g i.e plus instead rather directly please thing things way ways lot lots"
);

static VIEW: Words = words!(
    "see view browse read check review compare monitor track watch follow list show inspect look know learn \
    understand display preview visit explore access consult observe study hear listen play keep tell get present"
);
static SEARCH: Words = words!("search find filter sort discover lookup locate query");
static CREATE: Words = words!(
    "create add book order place buy purchase reserve borrow register submit upload report file record log schedule \
    request write post enrol enroll plan publish claim scan save pay invite comment attach open draft photograph capture \
    subscribe join sign raise note store enter lend issue sell collect import practise practice answer ask propose apply donate vote \
    build make compose reply respond contact bookmark quote bid upvote authenticate chat discuss provide offer give bring supply use specify define describe deposit top receive checkout"
);
static UPDATE: Words = words!(
    "edit change update move reschedule renew extend assign rename mark close set adjust correct reorder complete \
    configure pause resume switch turn return transfer approve reject accept decline prioritise prioritize tag label link merge \
    rate pick pack ship reopen resolve confirm replace swap share start stop finish restock refund reimburse repeat settle \
    acknowledge enable disable manage maintain increase lower raise reduce group split resize scale substitute handle process \
    release promote escalate delegate trace tick walk mention flag pin forward skip test train connect sync unpublish triage mute silence calibrate restart reset dispatch redeem validate verify admit hand \
    choose select put take load unload cook substract allocate customise customize organise organize arrange drop drag invoice"
);
static DELETE: Words = words!(
    "delete remove cancel archive discard revoke withdraw dismiss clear unsubscribe retire erase waive block ban exclude"
);
static NOTIFY: Words = words!("notify remind alert email send warn inform message announce text ping");
static COMPUTE: Words = words!(
    "calculate compute total sum count suggest generate export print download convert estimate forecast recommend \
    translate summarise summarize score grade measure rank detect analyse analyze multiply round aggregate"
);
/// Verbs that say how things stand, not what somebody does.
static STATE: Words = words!(
    "contain include consist belong cost last expire arrive leave depend remain stay happen occur exist become \
    work cover hold appear fail run live lose spend waste save wait forget miss avoid prevent ensure help support allow require \
    grow fit matter care begin end go come think believe feel hope expect trust seem mean miss"
);

/// What a verb does to things, seen from a person in front of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VerbClass {
    View,
    Search,
    Create,
    Update,
    Delete,
    Notify,
    Compute,
    State,
}

impl VerbClass {
    pub(super) fn action(self) -> Action {
        match self {
            VerbClass::View | VerbClass::State => Action::View,
            VerbClass::Search => Action::Search,
            VerbClass::Create => Action::Create,
            VerbClass::Update => Action::Update,
            VerbClass::Delete => Action::Delete,
            VerbClass::Notify => Action::Notify,
            VerbClass::Compute => Action::Compute,
        }
    }
}

static CLASSES: [(&Words, VerbClass); 8] = [
    (&VIEW, VerbClass::View),
    (&SEARCH, VerbClass::Search),
    (&CREATE, VerbClass::Create),
    (&UPDATE, VerbClass::Update),
    (&DELETE, VerbClass::Delete),
    (&NOTIFY, VerbClass::Notify),
    (&COMPUTE, VerbClass::Compute),
    (&STATE, VerbClass::State),
];

/// Past forms that no rule gives: past, participle, verb.
const IRREGULAR: [(&str, &str, &str); 46] = [
    ("saw", "seen", "see"),
    ("found", "found", "find"),
    ("bought", "bought", "buy"),
    ("paid", "paid", "pay"),
    ("wrote", "written", "write"),
    ("chose", "chosen", "choose"),
    ("put", "put", "put"),
    ("took", "taken", "take"),
    ("sent", "sent", "send"),
    ("lent", "lent", "lend"),
    ("sold", "sold", "sell"),
    ("made", "made", "make"),
    ("built", "built", "build"),
    ("kept", "kept", "keep"),
    ("told", "told", "tell"),
    ("got", "got", "get"),
    ("gave", "given", "give"),
    ("brought", "brought", "bring"),
    ("knew", "known", "know"),
    ("read", "read", "read"),
    ("heard", "heard", "hear"),
    ("set", "set", "set"),
    ("split", "split", "split"),
    ("showed", "shown", "show"),
    ("withdrew", "withdrawn", "withdraw"),
    ("held", "held", "hold"),
    ("left", "left", "leave"),
    ("ran", "run", "run"),
    ("lost", "lost", "lose"),
    ("spent", "spent", "spend"),
    ("grew", "grown", "grow"),
    ("began", "begun", "begin"),
    ("went", "gone", "go"),
    ("came", "come", "come"),
    ("thought", "thought", "think"),
    ("felt", "felt", "feel"),
    ("understood", "understood", "understand"),
    ("drew", "drawn", "draw"),
    ("forgot", "forgotten", "forget"),
    ("meant", "meant", "mean"),
    ("cost", "cost", "cost"),
    ("fit", "fit", "fit"),
    ("became", "become", "become"),
    ("reset", "reset", "reset"),
    ("swapped", "swapped", "swap"),
    ("shipped", "shipped", "ship"),
];

/// Nouns for people and what acts like them.
static PERSONS: Words = words!(
    "user customer client patient doctor nurse physician receptionist admin administrator manager employee worker \
    developer tester reporter maintainer engineer operator technician librarian member reader borrower student learner teacher tutor \
    coach organiser organizer attendee visitor guest host buyer seller shopper picker packer driver dispatcher supervisor accountant \
    approver reviewer editor author owner parent family cook chef supplier vendor agent clerk cashier staff team lead planner \
    traveller traveler passenger citizen applicant candidate recruiter moderator subscriber speaker volunteer donor trainer \
    participant householder resident tenant landlord lawyer analyst auditor controller bookkeeper assistant colleague person people \
    warehouseman storekeeper foreman keeper grower mechanic agronomist farmer gardener baker waiter guide pilot courier carrier \
    instructor lecturer professor principal pupil child caregiver carer therapist dentist pharmacist inspector surveyor electrician \
    plumber installer merchant-user trader broker banker investor voter councillor journalist photographer designer curator archivist \
    player trainee intern helper neighbour neighbor friend partner spouse roommate adviser advisor consultant contractor coordinator specialist officer director \
    secretary treasurer leader executive representative judge referee athlete scout musician artist scientist researcher programmer \
    marketer salesperson recipient sender payer lender renter rider walker sitter cleaner janitor guard ranger expert responder caller"
);

/// Nouns that are a value of something else.
static ATTRIBUTES: Words = words!(
    "name title price cost amount quantity total status state date time day email address phone number code sku \
    isbn barcode description summary note notes comment-text category type kind size colour color weight height width length currency \
    rate rating level priority severity deadline duration age birthday birthdate start end place location room seat shelf aisle unit \
    value threshold limit percentage score language url link photo picture image file attachment reason password role label position \
    rank temperature humidity voltage battery firmware version serial capacity stock balance fee tax discount subject body text \
    content author publisher year insurance symptom purpose vat merchant genre difficulty servings calories instructions bin bay postcode \
    city country zip street surname birth gender copies stage"
);

/// Nouns for what is on a screen.
static SCREEN_WORDS: Words = words!(
    "page screen view list form button dashboard overview table menu tab panel dialog window field box site website \
    app application system tool product-page interface portal console homepage home section column row card chart graph map calendar \
    timeline history feed inbox board backlog queue search filter results result detail details information info data summary picture-list \
    catalogue catalog"
);

/// Nouns that are no thing to keep.
static ABSTRACT: Words = words!(
    "feature function goal aim reason way kind sort lot end beginning case problem need idea work use user-experience \
    experience change changes help access minute hour day week month year today tomorrow yesterday morning evening night time times second \
    money effort risk mistake error chance fact sight glance advance moment place point trouble trip rest side hand mind \
    one ones anything something thing click clicks step steps order-of hurry stress paper internet computer mobile device-size \
    percent half quarter pair couple number amount overview kind bit everybody basis pace success failure loss growth quality speed \
    control behaviour behavior priority-order online offline hassle surprise sense attention demand average front back top bottom left right middle \
    context background scope brief version business peak purpose share"
);

static ADJECTIVES: Words = words!(
    "new old past next previous current last first second third upcoming recent free open closed available own full \
    empty single whole main daily weekly monthly yearly annual same different right wrong correct missing low high long short big small large \
    good bad better best worse worst late early overdue active inactive public private personal common possible necessary \
    important urgent clear simple easy quick fast slow real-time live digital online offline mobile electronic printed planned expected \
    actual average upper lower final initial optional required valid invalid favourite favorite popular similar suitable unused \
    nearest nearby physical remote local global internal external shared paid unpaid pending complete incomplete automatic manual \
    ready busy double exact rough former local healthy cheap cheaper expensive foreign regular certain specific particular \
    individual general special extra additional ongoing future critical red green yellow blue known unknown nice happy sure enough \
    partial clean dirty safe secure fresh seasonal weekly-planned hourly separate following further outstanding unsold sold"
);

static VAGUE: Words = words!(
    "easy easily simple simply quick quickly fast user-friendly friendly intuitive intuitively seamless seamlessly smooth smoothly \
    nice nicely beautiful beautifully modern robust flexible efficient efficiently powerful appropriate appropriately \
    reasonable reasonably adequate convenient conveniently slick elegant delightful various etc somehow maybe perhaps \
    state-of-the-art cutting-edge awesome great good better best best-in-class optimal optimally effortless effortlessly properly \
    hassle-free very really quite pretty relevant suitable basically probably possibly approximately stuff whatever \
    as-needed properly normally generally usually mostly typically sometimes often sufficient sufficiently comfortable comfortably pleasant"
);

/// For short lists that stand where they are used.
fn listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

pub(super) fn is_function_word(lower: &str) -> bool {
    FUNCTION_WORDS.contains(lower)
}

pub(super) fn is_person(lower: &str) -> bool {
    PERSONS.contains(singular(lower).as_str())
}

pub(super) fn is_attribute_noun(lower: &str) -> bool {
    ATTRIBUTES.contains(lower)
        || ATTRIBUTES.contains(singular(lower).as_str())
        || ATTRIBUTES.contains(plural(lower).as_str())
}

pub(super) fn is_screen_word(lower: &str) -> bool {
    SCREEN_WORDS.contains(lower) || SCREEN_WORDS.contains(singular(lower).as_str())
}

pub(super) fn is_abstract(lower: &str) -> bool {
    ABSTRACT.contains(lower) || ABSTRACT.contains(singular(lower).as_str()) || is_month_or_day(lower)
}

fn is_month_or_day(lower: &str) -> bool {
    listed(
        "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september \
         october november december",
        &singular(lower),
    )
}

pub(super) fn is_vague(lower: &str) -> bool {
    VAGUE.contains(lower)
}

/// Adjectives and adverbs: they qualify, but are never a thing.
pub(super) fn is_qualifier(lower: &str) -> bool {
    ADJECTIVES.contains(lower)
        || is_vague(lower)
        || (lower.len() > 4 && lower.ends_with("ly") && !listed("family reply supply assembly", lower))
        || (lower.len() > 6
            && ["able", "ible", "ful", "less", "ous"]
                .iter()
                .any(|ending| lower.ends_with(ending))
            && !listed("timetable vegetable variable", lower))
}

/// The class of a verb in its base form.
pub(super) fn class_of(base: &str) -> Option<VerbClass> {
    CLASSES
        .iter()
        .find(|(list, _)| list.contains(base))
        .map(|(_, class)| *class)
}

/// The base form of a verb the lexicon knows, from any of its forms.
pub(super) fn verb_base(lower: &str) -> Option<String> {
    if class_of(lower).is_some() {
        return Some(lower.to_owned());
    }
    if let Some((_, _, base)) = IRREGULAR
        .iter()
        .find(|(past, participle, _)| *past == lower || *participle == lower)
    {
        return Some((*base).to_owned());
    }
    let known = |candidate: String| class_of(&candidate).is_some().then_some(candidate);
    if let Some(stem) = lower.strip_suffix("ies").or_else(|| lower.strip_suffix("ied")) {
        return known(format!("{stem}y"));
    }
    for ending in ["ing", "ed", "es", "s"] {
        let Some(stem) = lower.strip_suffix(ending) else {
            continue;
        };
        if stem.len() < 2 {
            continue;
        }
        let undoubled = undouble(stem);
        for candidate in [Some(stem.to_owned()), Some(format!("{stem}e")), undoubled]
            .into_iter()
            .flatten()
        {
            if let Some(found) = known(candidate) {
                return Some(found);
            }
        }
    }
    None
}

fn undouble(stem: &str) -> Option<String> {
    let mut letters = stem.chars().rev();
    let (last, before) = (letters.next()?, letters.next()?);
    (last == before).then(|| stem[..stem.len() - last.len_utf8()].to_owned())
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

/// `place` → `places`, `try` → `tries`.
pub(super) fn third_person(base: &str) -> String {
    if base == "be" {
        return "is".into();
    }
    if base == "have" {
        return "has".into();
    }
    plural(base)
}

/// `place` → `placed`, `write` → `written`.
pub(super) fn participle(base: &str) -> String {
    if let Some((_, participle, _)) = IRREGULAR.iter().find(|(_, _, verb)| *verb == base) {
        return (*participle).to_owned();
    }
    if base.ends_with('e') {
        return format!("{base}d");
    }
    if let Some(stem) = base.strip_suffix('y')
        && !stem.ends_with(is_vowel)
    {
        return format!("{stem}ied");
    }
    let doubles = [
        "plan", "cancel", "log", "scan", "stop", "drop", "drag", "tag", "pin", "set", "swap", "ban", "enrol", "refer",
        "submit",
    ];
    match base.chars().last() {
        Some(last) if doubles.contains(&base) => format!("{base}{last}ed"),
        _ => format!("{base}ed"),
    }
}

/// Nouns whose plural no rule gives.
const PLURALS: [(&str, &str); 12] = [
    ("person", "people"),
    ("child", "children"),
    ("man", "men"),
    ("woman", "women"),
    ("shelf", "shelves"),
    ("leaf", "leaves"),
    ("half", "halves"),
    ("life", "lives"),
    ("criterion", "criteria"),
    ("staff", "staff"),
    ("stock", "stock"),
    ("series", "series"),
];

pub(super) fn plural(noun: &str) -> String {
    if let Some((_, many)) = PLURALS.iter().find(|(one, _)| *one == noun) {
        return (*many).to_owned();
    }
    if let Some(stem) = noun.strip_suffix('y')
        && !stem.ends_with(is_vowel)
        && !stem.is_empty()
    {
        return format!("{stem}ies");
    }
    if ["s", "x", "z", "ch", "sh"].iter().any(|ending| noun.ends_with(ending))
        || ["go", "do", "potato", "tomato"].contains(&noun)
    {
        return format!("{noun}es");
    }
    format!("{noun}s")
}

pub(super) fn singular(noun: &str) -> String {
    if let Some((one, _)) = PLURALS.iter().find(|(_, many)| *many == noun) {
        return (*one).to_owned();
    }
    // Words that only look like plurals.
    if noun.len() < 4
        || listed(
            "status bus address class glass business process access address analysis basis news always less gas canvas \
        series focus bonus progress pass address success",
            noun,
        )
    {
        return noun.to_owned();
    }
    if let Some(stem) = noun.strip_suffix("ies") {
        return if stem.len() < 2 {
            noun.to_owned()
        } else {
            format!("{stem}y")
        };
    }
    for ending in ["sses", "shes", "ches", "xes", "zzes", "uses", "toes"] {
        if noun.ends_with(ending)
            && !noun.ends_with("ouses")
            && !listed("uses courses causes clauses caches pauses", noun)
        {
            return noun[..noun.len() - 2].to_owned();
        }
    }
    match noun.strip_suffix('s') {
        Some(stem) if !noun.ends_with("ss") && !noun.ends_with("us") && !noun.ends_with("is") => stem.to_owned(),
        _ => noun.to_owned(),
    }
}

pub(super) fn is_plural(noun: &str) -> bool {
    singular(noun) != noun
}

/// `a` or `an`, by the first letter's usual sound.
pub(super) fn article(noun: &str) -> &'static str {
    let lower = noun.to_ascii_lowercase();
    let sounds_like_a_consonant = ["user", "uni", "url", "one", "use", "eur"]
        .iter()
        .any(|start| lower.starts_with(start));
    if lower.starts_with("hour") || (lower.starts_with(is_vowel) && !sounds_like_a_consonant) {
        "an"
    } else {
        "a"
    }
}

/// What an attribute's name says about its values. The last words decide: `deliveryDate` is a date.
pub(super) fn value_kind(words: &[String]) -> ValueKind {
    let table: [(&str, ValueKind); 13] = [
        (
            "price cost amount total fee tax discount balance budget vat salary fare deposit refund subtotal fine",
            ValueKind::Money,
        ),
        ("email e-mail mail", ValueKind::Email),
        ("date day birthday birthdate deadline birth expiry", ValueKind::Date),
        ("time start end timestamp moment", ValueKind::DateTime),
        ("duration length minutes hours", ValueKind::Duration),
        (
            "quantity count stock capacity year age seats copies servings calories level rank position points score version limit",
            ValueKind::Integer,
        ),
        (
            "weight height width temperature humidity voltage battery percentage rate rating value threshold reading distance",
            ValueKind::Number,
        ),
        (
            "status state type kind category priority severity role stage currency language gender difficulty genre unit colour color size",
            ValueKind::Choice,
        ),
        (
            "id code sku isbn barcode number serial reference",
            ValueKind::Identifier,
        ),
        ("url link website", ValueKind::Url),
        (
            "photo picture image file attachment receipt document recording audio scan",
            ValueKind::File,
        ),
        ("location place coordinates", ValueKind::Location),
        ("enabled paid active available", ValueKind::Boolean),
    ];
    let Some(last) = words.last() else {
        return ValueKind::Text;
    };
    let lower = last.to_ascii_lowercase();
    if ["at", "on"].contains(&lower.as_str()) && words.len() > 1 {
        return ValueKind::DateTime;
    }
    // Cooking time is how long, start time is when.
    if words.len() == 2 && lower == "time" && words[0].ends_with("ing") {
        return ValueKind::Duration;
    }
    if words.len() == 2 && lower == "number" && ["phone", "telephone", "house"].contains(&words[0].as_str()) {
        return ValueKind::Text;
    }
    let (one, many) = (singular(&lower), plural(&lower));
    table
        .iter()
        .find(|(list, _)| [&lower, &one, &many].iter().any(|form| listed(list, form)))
        .map_or(ValueKind::Text, |(_, kind)| *kind)
}

/// `clinic nurse` → `clinic nurses`.
pub(super) fn plural_name(name: &str) -> String {
    match name.rsplit_once(' ') {
        Some((before, last)) if !is_plural(last) => format!("{before} {}", plural(last)),
        None if !is_plural(name) => plural(name),
        Some(_) | None => name.to_owned(),
    }
}

/// What words of one family have in common: `payment`, `pays` and `paid` are all about `pay`.
pub(super) fn root(lower: &str) -> String {
    let from_noun = lower
        .strip_suffix("ment")
        .or_else(|| lower.strip_suffix("ments"))
        .filter(|stem| class_of(stem).is_some());
    from_noun
        .map(str::to_owned)
        .or_else(|| verb_base(lower))
        .unwrap_or_else(|| singular(lower))
}
