//! The standard scenario for what an evaluation may spare: a handbook of six pages, written with faults and then mended
//! one fault an iteration, under three checks and six questions for a judge.
//!
//! Used by the tests, which hold the promise, and by the bench, which measures it.

use std::path::Path;

/// The pages; a judge is asked one question about each.
pub const PAGES: [&str; 6] = ["orders", "prices", "stock", "users", "mail", "reports"];

/// Pages whose fault a check finds: a dead link, an unfinished sentence.
const FOR_CHECKS: usize = 2;

/// What the loop may spare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thrift {
    pub stop_early: bool,
    pub keep_verdicts: bool,
}

/// Everything is asked in every iteration.
pub const NAIVE: Thrift = Thrift {
    stop_early: false,
    keep_verdicts: false,
};

/// As the preset has it.
pub const SAVING: Thrift = Thrift {
    stop_early: true,
    keep_verdicts: true,
};

/// What a question to the judge is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Its own page.
    Page,
    /// The whole handbook, so that any change asks it again.
    Handbook,
}

/// A course of the work: how many faults the first draft has, and who finds them.
#[derive(Debug, Clone, Copy)]
pub struct Handbook {
    /// At most 2.
    pub faults_for_checks: usize,
    /// At most 4.
    pub faults_for_judge: usize,
    pub reads: Reads,
}

/// Two faults that checks find, then three that only a judge finds: six iterations, which is the preset's limit.
pub const STANDARD: Handbook = Handbook {
    faults_for_checks: 2,
    faults_for_judge: 3,
    reads: Reads::Page,
};

impl Handbook {
    /// One for the draft and one for each fault.
    pub fn iterations(&self) -> usize {
        1 + self.faults_for_checks + self.faults_for_judge
    }

    /// The project's files. The work is in `book`, so that contracts that differ can end with the same tree. The judge adds a line to `calls` whenever it is asked, wherever the engine thinks it asked.
    pub fn files(&self, thrift: Thrift, calls: &Path) -> Vec<(String, String)> {
        let index: String = PAGES.map(|page| format!("- [{page}](docs/{page}.md)\n")).concat();
        vec![
            ("onus.toml".to_owned(), self.contract(thrift, calls)),
            ("writer.toml".to_owned(), self.writer()),
            ("book/README.md".to_owned(), format!("# Handbook\n\n{index}")),
        ]
    }

    fn contract(&self, thrift: Thrift, calls: &Path) -> String {
        let Thrift {
            stop_early,
            keep_verdicts,
        } = thrift;
        let head = format!(
            r#"preset = "build"
protected = ["README.md"]

[task]
prompt = "Write the handbook: one page for each entry of the README"

[agents.writer]
kind = "scripted"
script = "writer.toml"

[agents.judge]
kind = "command"
command = ["sh", "-c", '''{JUDGE}''', "judge", {calls:?}]

[files]
workspace = "book"

[roles]
default = "writer"
evaluator = "judge"

[evaluation]
stop_early = {stop_early}
keep_verdicts = {keep_verdicts}
{CHECKS}"#
        );
        let judged = PAGES.map(|page| {
            let reads = match self.reads {
                Reads::Page => format!("docs/{page}.md"),
                Reads::Handbook => "docs/**".to_owned(),
            };
            format!(
                r#"
[[criteria]]
id = "a.example.{page}"
description = "The page on {page} has an example that a reader can follow."
severity = "fail"
check = "A sentence shows one concrete case."
reads = "{reads}"
"#
            )
        });
        head + &judged.concat()
    }

    /// The writer's script: the draft with all its faults, then one page a time without.
    fn writer(&self) -> String {
        let answer = |role: &str, pages: &[(usize, bool)]| {
            let pages: String = pages
                .iter()
                .map(|(page, faulty)| format!("\"docs/{}.md\" = '''{}'''\n", PAGES[*page], text(*page, *faulty)))
                .collect();
            format!("[[answer]]\n{role}\n[answer.write]\n{pages}\n")
        };
        let faulty: Vec<usize> = (0..self.faults_for_checks)
            .chain(FOR_CHECKS..FOR_CHECKS + self.faults_for_judge)
            .collect();
        let draft: Vec<(usize, bool)> = (0..PAGES.len()).map(|page| (page, faulty.contains(&page))).collect();
        let mut script = answer("role = \"producer\"", &draft);
        for (at, page) in faulty.iter().enumerate() {
            let role = format!("role = \"refiner\"\niteration = {}", at + 1);
            script.push_str(&answer(&role, &[(*page, false)]));
        }
        script
    }
}

/// A page; those that checks look after have a fault for them, the others lack what the judge looks for.
fn text(page: usize, faulty: bool) -> String {
    let name = PAGES[page];
    let example = format!("For example, {name} can be listed by day.\n");
    let body = match (page, faulty) {
        (0, true) => format!("{example}See [more](nowhere.md).\n"),
        (1, true) => format!("{example}TBD\n"),
        (_, true) => "There is much to say about it.\n".to_owned(),
        (_, false) => format!("{example}See [the README](../README.md).\n"),
    };
    format!("# The page on {name}\n\n{body}")
}

const CHECKS: &str = r#"
[[criteria]]
id = "a.links"
description = "Links lead somewhere."
severity = "fail"
verify = { type = "links", files = "docs/**" }

[[criteria]]
id = "a.finished"
description = "Nothing is left to be determined."
severity = "fail"
verify = { type = "pattern", search = "TBD", files = "docs/**", rule = "forbidden" }

[[criteria]]
id = "a.complete"
description = "Every page of the README is there."
severity = "fail"
verify = { type = "executable", command = "test $(ls docs | wc -l) -eq $(grep -c '^- ' README.md)" }
"#;

/// Passes a page that has its example, and quotes it.
const JUDGE: &str = r#"
echo "$ONUS_RUN_ID" >> "$1"
page=$(tr ',{' '\n\n' < "$ONUS_REQUEST" | sed -n 's/.*"id": *"a\.example\.\([a-z]*\)".*/\1/p')
if grep -q "For example, $page can be" "$ONUS_REQUEST"; then
    result="\"verdict\": \"pass\", \"details\": \"one case is shown\", \"quote\": \"For example, $page can be listed by day.\""
else
    result="\"verdict\": \"fail\", \"details\": \"no sentence shows a case\""
fi
echo "{\"rule_results\": [{\"id\": \"a.example.$page\", $result}]}"
"#;
