//! What a judge of a tree is shown: the files that decide what it is asked about.

use onus_model::{Criterion, Globs};

use crate::Files;
use crate::globs::{compile_globs, matching, no_match};

/// The texts of all files that the asked criteria read, by path. What cannot be shown whole is not shown in part: the
/// sentence says what to change.
pub fn packet_files(
    asked: &[&Criterion],
    files: &dyn Files,
    bytes_max: usize,
) -> Result<Vec<(String, String)>, String> {
    let mut globs: Vec<String> = Vec::new();
    for reads in asked.iter().filter_map(|criterion| criterion.reads.as_ref()) {
        globs.extend(
            reads
                .0
                .iter()
                .filter(|glob| !globs.contains(glob))
                .cloned()
                .collect::<Vec<_>>(),
        );
    }
    if globs.is_empty() {
        let ids: Vec<&str> = asked.iter().map(|criterion| criterion.id.as_str()).collect();
        return Err(format!(
            "`reads` is missing: a judge of files must be told which ones decide `{}`",
            ids.join("`, `")
        ));
    }
    let globs = Globs(globs);
    let paths = matching(&compile_globs(&globs)?, files);
    if paths.is_empty() {
        return Err(format!("there is nothing to judge: {}", no_match(&globs.0)));
    }
    let (mut shown, mut bytes) = (Vec::with_capacity(paths.len()), 0_usize);
    for path in paths {
        let text = files
            .read(path)
            .ok_or_else(|| format!("`{path}` cannot be read, so no judge can be shown it"))?;
        let text = String::from_utf8(text)
            .map_err(|_| format!("`{path}` is not UTF-8 text, so no judge can be shown it; leave it out of `reads`"))?;
        bytes = bytes.saturating_add(text.len());
        shown.push((path.to_owned(), text));
    }
    if bytes > bytes_max {
        return Err(format!(
            "the files that `reads` names have {bytes} bytes, and a judge is shown at most {bytes_max}; name fewer"
        ));
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::super::tests::criterion;
    use super::*;
    use crate::globs::testing::{Tree, globs};

    #[test]
    fn a_judge_is_shown_what_it_is_asked_about_or_nothing() {
        let tree = Tree::new(&[("a.md", "aaa"), ("b.md", "bb"), ("c.rs", "c")])
            .with("d.bin", Some(b"\xff"))
            .with("e.big", None);
        for (reads, bytes_max, expected) in [
            (&[Some(&["*.md"][..])][..], 5, Ok(&["a.md", "b.md"][..])),
            (
                &[Some(&["*.md"][..]), None, Some(&["c.rs", "a.md"])],
                100,
                Ok(&["a.md", "b.md", "c.rs"]),
            ),
            (&[], 100, Err("`reads` is missing")),
            (
                &[None],
                100,
                Err("`reads` is missing: a judge of files must be told which ones decide `a.x`"),
            ),
            (&[Some(&[])], 100, Err("`reads` is missing")),
            (
                &[Some(&["*.md"])],
                4,
                Err("have 5 bytes, and a judge is shown at most 4"),
            ),
            (
                &[Some(&["*.py"])],
                100,
                Err("there is nothing to judge: no file matches `*.py`"),
            ),
            (&[Some(&["[a"])], 100, Err("the glob `[a` is wrong")),
            (&[Some(&["d.bin"])], 100, Err("`d.bin` is not UTF-8 text")),
            (&[Some(&["e.big"])], 100, Err("`e.big` cannot be read")),
        ] {
            let criteria: Vec<Criterion> = reads
                .iter()
                .map(|reads: &Option<&[&str]>| Criterion {
                    reads: reads.map(globs),
                    ..criterion("a.x")
                })
                .collect();
            let asked: Vec<&Criterion> = criteria.iter().collect();
            match (packet_files(&asked, &tree, bytes_max), expected) {
                (Ok(shown), Ok(paths)) => {
                    assert_eq!(shown.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), paths);
                }
                (Err(problem), Err(words)) => assert!(problem.contains(words), "{problem}"),
                (found, expected) => panic!("{found:?}, expected {expected:?}"),
            }
        }
    }
}
