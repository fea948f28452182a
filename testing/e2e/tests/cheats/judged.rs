//! Loops that are left to judges: texts that the rows about contracts, evidence and judges share.

/// A loop over a tree with one agent that works and one that judges: their scripts, then the rest of the file.
macro_rules! judged_loop {
    ($coder:literal, $judge:literal, $($rest:expr),+ $(,)?) => {
        concat!(
            "preset = \"build\"\nprotected = [\"*.toml\", \"sources/**\"]\n",
            "\n[agents.coder]\nkind = \"scripted\"\nscript = \"", $coder, "\"\nfamily = \"willow\"\n",
            "\n[agents.judge]\nkind = \"scripted\"\nscript = \"", $judge, "\"\nfamily = \"cedar\"\n",
            "\n[roles]\ndefault = \"coder\"\nevaluator = \"judge\"\n\n",
            $($rest),+
        )
    };
}

/// The criterion that most of these loops leave to a judge.
macro_rules! usage {
    () => {
        r#"
[[criteria]]
id = "a.usage"
description = "The README shows how the program is called."
severity = "fail"
check = "A line shows the command with its arguments."
reads = "README.md"
"#
    };
}

/// A judge's answer: a failure.
macro_rules! fails {
    ($id:literal, $details:literal) => {
        concat!(
            "[[answer]]\nrole = \"evaluator\"\nabout = \"",
            $id,
            "\"\njson = { rule_results = [{ id = \"",
            $id,
            "\", verdict = \"fail\", details = \"",
            $details,
            "\" }] }\n\n"
        )
    };
}

/// A judge's answer when it is shown certain words: a pass that quotes other ones.
macro_rules! passes {
    ($id:literal, $shown:literal, $quote:literal) => {
        concat!(
            "[[answer]]\nrole = \"evaluator\"\nabout = \"",
            $id,
            "\"\ncontains = '",
            $shown,
            "'\njson = { rule_results = [{ id = \"",
            $id,
            "\", verdict = \"pass\", details = \"it is there\", quote = '",
            $quote,
            "' }] }\n\n"
        )
    };
}

/// A judge that looks for the call of the program and passes nothing else.
macro_rules! careful {
    () => {
        concat!(
            crate::judged::fails!("a.usage", "no line shows how the program is called"),
            crate::judged::passes!("a.usage", "Usage: tally FILE", "Usage: tally FILE")
        )
    };
}

/// An agent's answer: one file.
macro_rules! writes {
    ($role:literal, $path:literal, $text:literal) => {
        concat!(
            "[[answer]]\nrole = \"",
            $role,
            "\"\nwrite = { '",
            $path,
            "' = '''",
            $text,
            "''' }\n\n"
        )
    };
}

/// The README with what was asked for.
macro_rules! honest_readme {
    () => {
        crate::judged::writes!("producer", "README.md", "# tally\n\nUsage: tally FILE\n")
    };
}

pub(crate) use {careful, fails, honest_readme, judged_loop, passes, usage, writes};
