//! Links inside a tree of Markdown: every file, directory, heading and line that is pointed at is there.
//!
//! Links to other places are counted and not followed: nothing here has a network.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use onus_model::LinksCheck;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use crate::globs::{finding, line_at, plural, read_files, select};
use crate::{CheckResult, Files, Outcome};

/// Books are smaller; reading Markdown is not always linear.
const PAGE_BYTES_MAX: usize = 2 << 20;

/// Internal links of every Markdown file that the globs name.
pub fn links(check: &LinksCheck, files: &dyn Files) -> CheckResult {
    let paths = match select(&check.files, files) {
        Ok(paths) => paths,
        Err(nothing) => return nothing.result(),
    };
    let mut tree = LinkTree {
        files,
        paths: files.paths().into_iter().collect(),
        pages: HashMap::new(),
    };
    let (mut findings, mut internal, mut external) = (Vec::new(), 0_usize, 0_usize);
    for path in &paths {
        let Some(page) = files.read(path).and_then(|bytes| Page::read(path, &bytes)) else {
            let why = format!("`{path}` cannot be read: it is not UTF-8, or larger than {PAGE_BYTES_MAX} bytes");
            return read_files(Outcome::CouldNotRun, why, 0, findings);
        };
        for link in page.links {
            match tree.look(path, &link.target) {
                Seen::External => external += 1,
                Seen::Holds => internal += 1,
                Seen::Broken(problem) => {
                    internal += 1;
                    findings.push(finding(path, Some(link.line), format!("`{}` {problem}", link.target)));
                }
            }
        }
    }
    let of = format!(
        "{} in {}",
        plural(internal, "internal link"),
        plural(paths.len(), "file")
    );
    let ignored = format!("{} not followed", plural(external, "external link"));
    let (outcome, why) = match findings.len() {
        0 => (Outcome::Passed, format!("{of}, none broken; {ignored}")),
        broken => (Outcome::Failed, format!("{broken} broken of {of}; {ignored}")),
    };
    read_files(outcome, why, paths.len(), findings)
}

enum Seen {
    External,
    Holds,
    Broken(String),
}

struct LinkTree<'a> {
    files: &'a dyn Files,
    paths: BTreeSet<&'a str>,
    /// What has been pointed into; `None`: cannot be read.
    pages: HashMap<String, Option<Page>>,
}

impl LinkTree<'_> {
    fn look(&mut self, from: &str, link: &str) -> Seen {
        let broken = |problem: &str| Seen::Broken(problem.to_owned());
        match scheme(link) {
            Some("file") => return broken("names a file of one machine"),
            Some(_) => return Seen::External,
            None if link.starts_with("//") => return Seen::External,
            None if link.is_empty() => return broken("points nowhere"),
            None => {}
        }
        let (place, anchor) = link.split_once('#').unwrap_or((link, ""));
        let place = decoded(place.split('?').next().unwrap_or(place));
        let target = if place.is_empty() {
            from.to_owned()
        } else {
            match resolve(from, &place) {
                None => return broken("leads out of the tree"),
                Some(target) => target,
            }
        };
        let is_file = self.paths.contains(target.as_str());
        if !is_file && !self.is_directory(&target) {
            return broken("is not there");
        }
        match decoded(anchor) {
            anchor if anchor.is_empty() || anchor == "top" || !is_file => Seen::Holds,
            anchor => self.look_into(target, &anchor),
        }
    }

    fn is_directory(&self, target: &str) -> bool {
        let inside = format!("{target}/");
        let mut below = self.paths.range(inside.as_str()..);
        target.is_empty() || below.next().is_some_and(|path| path.starts_with(&inside))
    }

    fn look_into(&mut self, target: String, anchor: &str) -> Seen {
        let files = self.files;
        let read = |path: &String| files.read(path).and_then(|bytes| Page::read(path, &bytes));
        let page = match self.pages.get(&target) {
            Some(page) => page,
            None => {
                let page = read(&target);
                &*self.pages.entry(target).or_insert(page)
            }
        };
        match (page, lines(anchor)) {
            (None, _) => Seen::Broken("points into a file that cannot be read".to_owned()),
            (Some(page), Some((first, last))) if first >= 1 && first <= last && last <= page.lines => Seen::Holds,
            (Some(page), Some(_)) => {
                Seen::Broken(format!("points beyond the {} of the file", plural(page.lines, "line")))
            }
            (Some(page), None) => match &page.anchors {
                Some(anchors) if !anchors.contains(anchor) => Seen::Broken("has no such heading or anchor".to_owned()),
                // What `#page=3` means is the business of whoever shows the file.
                Some(_) | None => Seen::Holds,
            },
        }
    }
}

/// `https` of `https://x`; one letter would be a drive.
fn scheme(link: &str) -> Option<&str> {
    let (scheme, _) = link.split_once(':')?;
    let word = scheme.len() > 1
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (word && scheme.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(scheme)
}

/// `L3` and `L3-L9`, as code hosts point at lines.
fn lines(anchor: &str) -> Option<(usize, usize)> {
    let (first, last) = anchor.split_once('-').unwrap_or((anchor, anchor));
    let number = |text: &str| text.strip_prefix('L')?.parse().ok();
    Some((number(first)?, number(last)?))
}

/// The path in the tree that `target`, written in the file `from`, names; `None` if it leads out. `/x` begins at the top.
pub(crate) fn resolve(from: &str, target: &str) -> Option<String> {
    let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
    let start = if target.starts_with('/') { "" } else { directory };
    let mut parts: Vec<&str> = start.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// `%20` and the like as what they stand for; what is no such code stays.
pub(crate) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digit = |at: usize| {
            after
                .get(at)
                .and_then(|b| char::from(*b).to_digit(16))
                .and_then(|d| u8::try_from(d).ok())
        };
        let (value, after) = match (byte, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => (high * 16 + low, &after[2..]),
            _ => (*byte, after),
        };
        bytes.push(value);
        rest = after;
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

struct Link {
    target: String,
    line: u32,
}

/// What can be pointed at in a file, and where it points.
struct Page {
    lines: usize,
    /// `None`: a file whose anchors nobody knows.
    anchors: Option<BTreeSet<String>>,
    links: Vec<Link>,
}

impl Page {
    fn read(path: &str, bytes: &[u8]) -> Option<Page> {
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|text| text.len() <= PAGE_BYTES_MAX)?;
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let mut reader = PageReader::default();
        let anchors = match extension.to_ascii_lowercase().as_str() {
            "html" | "htm" => {
                reader.html(text, 1);
                Some(reader.anchors)
            }
            // Whatever the globs of a check name is taken for Markdown; in other files only anchors are unknown.
            extension => {
                reader.markdown(text);
                matches!(extension, "md" | "markdown" | "mdx").then_some(reader.anchors)
            }
        };
        Some(Page {
            lines: text.lines().count(),
            anchors,
            links: reader.links,
        })
    }
}

#[derive(Default)]
struct PageReader {
    anchors: BTreeSet<String>,
    links: Vec<Link>,
    /// How often a heading's slug was given.
    slugs: BTreeMap<String, usize>,
}

impl PageReader {
    fn markdown(&mut self, text: &str) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let mut heading: Option<String> = None;
        let mut block = String::new();
        // Offsets grow with a few steps back, so lines are counted from the last place.
        let mut lines = Lines::new(text);
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some(title) = heading.take() {
                        self.title(&title);
                    }
                }
                Event::Text(piece) | Event::Code(piece) => {
                    if let Some(title) = &mut heading {
                        title.push_str(&piece);
                    }
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => self.links.push(Link {
                    target: dest_url.into_string(),
                    line: lines.at(range.start),
                }),
                Event::Html(piece) => block.push_str(&piece),
                Event::End(TagEnd::HtmlBlock) => {
                    let line = lines.at(range.start);
                    self.html(&std::mem::take(&mut block), line);
                }
                Event::InlineHtml(piece) => self.html(&piece, lines.at(range.start)),
                Event::Start(_)
                | Event::End(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::Rule
                | Event::TaskListMarker(_) => {}
            }
        }
    }

    /// Anchors and links of HTML, which begins at `line`. Nothing in a comment counts.
    fn html(&mut self, html: &str, line: u32) {
        static COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("(?s)<!--.*?(-->|$)").ok());
        static ATTRIBUTE: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(r#"(?i)\s(?:(id|name)|href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"#).ok()
        });
        let (Some(comment), Some(attribute)) = (&*COMMENT, &*ATTRIBUTE) else {
            return;
        };
        // Line breaks stay, for the lines after the comment.
        let blank = |found: &regex::Captures<'_>| "\n".repeat(found[0].matches('\n').count());
        let html = comment.replace_all(html, blank);
        let mut lines = Lines::new(&html);
        for found in attribute.captures_iter(&html) {
            let value = found.get(2).or(found.get(3)).or(found.get(4));
            let value = value.map_or("", |value| value.as_str()).to_owned();
            if found.get(1).is_some() {
                self.anchors.insert(value);
            } else {
                let at = found.get(0).map_or(0, |whole| whole.end());
                let line = line.saturating_add(lines.at(at) - 1);
                self.links.push(Link { target: value, line });
            }
        }
    }

    /// A heading's anchor as code hosts make it: a second heading of the same words gets `-1`.
    fn title(&mut self, title: &str) {
        let slug = slug(title);
        let mut unique = slug.clone();
        while self.slugs.contains_key(&unique) {
            let again = self.slugs.entry(slug.clone()).or_default();
            *again += 1;
            unique = format!("{slug}-{again}");
        }
        self.slugs.insert(unique.clone(), 0);
        self.anchors.insert(unique);
    }
}

/// Lower case, spaces to `-`, nothing but letters, digits, `-` and `_`.
fn slug(title: &str) -> String {
    let lower = title.trim().to_lowercase();
    lower
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ => c.is_alphanumeric().then_some(c),
        })
        .collect()
}

/// Line numbers of offsets that mostly grow.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Lines<'a> {
        Lines { text, at: 0, line: 1 }
    }

    fn at(&mut self, offset: usize) -> u32 {
        if offset < self.at {
            (self.at, self.line) = (0, 1);
        }
        let between = self.text.get(self.at..offset).unwrap_or_default();
        self.line = self.line.saturating_add(line_at(between, between.len()) - 1);
        self.at = offset;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::globs::testing::{Tree, globs, shown};

    fn check(page: &str) -> String {
        let guide = "# Getting started\n\n## `onus run` & more!\n\n## Setup\n## Setup\n## Setup-1\n\nÜber uns\n---\n\n\
                     <a name=\"old\"></a>\n<!-- <a id=\"hidden\"> -->\n\n    # not a heading\n";
        let tree = Tree::new(&[
            ("README.md", page),
            ("docs/guide.md", guide),
            ("docs/a b.md", "x"),
            ("src/main.rs", "fn main() {\n}\n"),
            ("site/x.html", "<h1 id=here>X</h1>"),
        ])
        .with("docs/bad.md", Some(b"\xff"))
        .with("logo.png", Some(b"\x89PNG"));
        let check = LinksCheck {
            files: globs(&["README.md"]),
        };
        shown(&links(&check, &tree))
    }

    #[test]
    fn links_that_hold_hold() {
        for link in [
            "docs/guide.md",
            "./docs/guide.md",
            "/docs/guide.md",
            "docs/../docs//guide.md",
            "docs/",
            "docs",
            ".",
            "docs/a%20b.md",
            "docs/guide.md?plain=1",
            "docs/guide.md#getting-started",
            "docs/guide.md#onus-run--more",
            "docs/guide.md#setup",
            "docs/guide.md#setup-1",
            "docs/guide.md#setup-1-1",
            "docs/guide.md#%C3%BCber-uns",
            "docs/guide.md#old",
            "src/main.rs#L1-L2",
            "site/x.html#here",
            "logo.png",
            "#here",
            "#top",
        ] {
            let shown = check(&format!("# Here\n[x]({link})\n![y][ref]\n\n[ref]: logo.png\n"));
            assert_eq!(
                shown, "Passed: 2 internal links in 1 file, none broken; 0 external links not followed",
                "{link}"
            );
        }
    }

    #[test]
    fn broken_links_are_found_with_their_line() {
        for (link, expected) in [
            ("none.md", "is not there"),
            ("Docs/guide.md", "is not there"),
            ("docs/guide", "is not there"),
            ("../x.md", "leads out of the tree"),
            ("docs/../../README.md", "leads out of the tree"),
            ("file:///etc/passwd", "names a file of one machine"),
            ("", "points nowhere"),
            ("#nope", "has no such heading or anchor"),
            ("docs/guide.md#setup-3", "has no such heading or anchor"),
            ("docs/guide.md#hidden", "has no such heading or anchor"),
            ("docs/guide.md#not-a-heading", "has no such heading or anchor"),
            ("site/x.html#there", "has no such heading or anchor"),
            ("src/main.rs#L3", "points beyond the 2 lines of the file"),
            ("src/main.rs#L2-L1", "points beyond the 2 lines of the file"),
            ("docs/bad.md#x", "points into a file that cannot be read"),
            ("docs/%zz.md", "is not there"),
        ] {
            let shown = check(&format!("# Here\n\ntext\n[x]({link})\n"));
            assert_eq!(
                shown,
                format!(
                    "Failed: 1 broken of 1 internal link in 1 file; 0 external links not followed\nREADME.md:4: `{link}` {expected}"
                )
            );
        }
    }

    #[test]
    fn html_links_count_and_external_ones_are_counted() {
        let page = "<p>\n<!--\n<a href='gone'> -->\n<img src=\"none.png\"> <a href='https://x.org'>\n</p>\n\n\
                    a <a href=logo.png> b <https://y.org> [m](mailto:a@b.c) [p](//cdn.org/x)\n\n`[code](none)`\n\n```\n[code](none)\n```\n";
        assert_eq!(
            check(page),
            "Failed: 1 broken of 2 internal links in 1 file; 4 external links not followed\nREADME.md:4: `none.png` is not there"
        );
    }

    #[test]
    fn bad_input_does_not_pass() {
        let run = |list: &[&str], tree: &Tree| shown(&links(&LinksCheck { files: globs(list) }, tree));
        let tree = Tree::new(&[("a.md", "no links")])
            .with("b.md", Some(b"\xff"))
            .with("big.md", None);
        assert_eq!(
            run(&["a.md"], &tree),
            "Passed: 0 internal links in 1 file, none broken; 0 external links not followed"
        );
        for (list, expected) in [
            (&["*.mdx"][..], "Failed: no file matches `*.mdx`"),
            (&["b.md"], "CouldNotRun: `b.md` cannot be read"),
            (&["big.md"], "CouldNotRun: `big.md` cannot be read"),
        ] {
            assert!(run(list, &tree).starts_with(expected));
        }
        for bomb in [
            "[", "[a](", "<a ", "![", "*_", "> ", "- ", "<!--", "`", "[a]: b\n", "|a",
        ] {
            let tree = Tree::new(&[("a.md", &bomb.repeat(20_000))]);
            run(&["a.md"], &tree);
        }
        let same = Tree::new(&[("a.md", &"# x\n".repeat(20_000))]);
        assert!(run(&["a.md"], &same).starts_with("Passed"));
    }
}
