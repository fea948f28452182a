//! Leaves names of technologies out of what the brief says. A design that names none outlives them.

use super::brief::{Brief, Form, Note};
use super::text::{Token, joined, tokens};

/// Names that are ordinary words too: only with a capital letter, and not before `to`.
const ALSO_WORDS: &str = "React Vue Angular Swift Go Rust Spring Express Flask Rails Bootstrap Ember Node Next Spark Redux Flutter Ruby \
    Dart Electron Lit Preact Astro Remix Phoenix Oracle Access Lambda Azure Docker Elm Gin Echo Tailwind Stripe Cordova Ionic Solid \
    Storybook Unity Java Python Kotlin Material Chakra Sass Less Webpack Vite Parcel Babel Laravel Symfony Struts Prisma Hibernate \
    Cassandra Kafka Elasticsearch Firebase Amplify Heroku Netlify Vercel Ansible Terraform Puppet Chef Jenkins Salesforce Shopify Magento";
/// Names that are nothing else.
const NAMES: &str = "reactjs react.js vuejs vue.js angularjs svelte sveltekit next.js nextjs nuxt nuxt.js jquery backbone.js django fastapi \
    node.js nodejs express.js nestjs typescript javascript css css3 html html5 scss php c++ c# asp.net dotnet .net graphql grpc json xml yaml \
    rest restful api apis sql mysql postgresql postgres sqlite mongodb mongo redis dynamodb mariadb firestore supabase kubernetes k8s aws gcp \
    websocket websockets webhook webhooks oauth oauth2 jwt saml soap ajax spa pwa ssr dom npm yarn localstorage sessionstorage iframe \
    react-native xamarin swiftui uikit android-studio xcode wordpress drupal joomla mqtt rabbitmq activemq nginx apache tomcat jsx tsx \
    webassembly wasm webgl d3 d3.js chart.js three.js bootstrap5 tailwindcss material-ui mui antd web-components microservice microservices \
    serverless backend frontend database databases middleware dropdown modal datagrid hamburger accordion carousel navbar sidebar div span \
    endpoint endpoints crud orm mvc mvvm";

const LINKS: [&str; 14] = [
    "using", "with", "in", "via", "on", "by", "through", "as", "built", "written", "a", "an", "the", "our",
];

/// Whether the word at `at` names a technology.
fn is_name(all: &[Token], at: usize) -> bool {
    let token = &all[at];
    if NAMES.split_ascii_whitespace().any(|name| name == token.lower) {
        return true;
    }
    let named = ALSO_WORDS.split_ascii_whitespace().any(|name| name == token.text);
    // At the beginning of a sentence a capital says nothing: `React to alarms`, `Access the archive`.
    let begins = all[..at].iter().rev().find(|before| before.is_word()).is_none();
    named && !begins
}

/// The text without such names and the words that only introduce them, and the names.
pub(super) fn without_names(text: &str) -> (String, Vec<String>) {
    let all = tokens(text);
    let mut keep: Vec<Token> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut after_name = false;
    for (at, token) in all.iter().enumerate() {
        if is_name(&all, at) {
            names.push(token.text.clone());
            while keep
                .last()
                .is_some_and(|last| last.is_one_of(&LINKS) || (after_name && last.is_one_of(&["and", "or", ",", "/"])))
            {
                keep.pop();
            }
            after_name = true;
        } else {
            after_name = after_name && token.is_one_of(&["and", "or", ",", "/", "a", "an", "the"]);
            keep.push(token.clone());
        }
    }
    while keep
        .last()
        .is_some_and(|last| last.is_one_of(&["and", "or", ",", "to", "of"]) || last.is_one_of(&LINKS))
    {
        keep.pop();
    }
    if names.is_empty() {
        (text.to_owned(), names)
    } else {
        (joined(&keep), names)
    }
}

/// Cleans every statement and notes what went.
pub(super) fn leave_out(brief: &mut Brief) {
    let mut notes = Vec::new();
    let (title, in_title) = without_names(&brief.title);
    if !in_title.is_empty() && !title.is_empty() {
        brief.title = title;
    }
    brief.statements.retain_mut(|statement| {
        let (text, mut names) = without_names(&statement.text);
        statement.text = text;
        if let Form::Story { actor, want, so_that } = &mut statement.form {
            for part in [Some(actor), Some(want), so_that.as_mut()].into_iter().flatten() {
                *part = without_names(part).0;
            }
        }
        names.dedup();
        if !names.is_empty() {
            notes.push(Note {
                line: statement.line,
                message: format!("{} is left out: a design names no technology", quoted(&names)),
            });
        }
        // `Built with React and PostgreSQL` says nothing once the names are gone.
        let about_technology = names.len() > 1 && matches!(statement.form, Form::Sentence);
        names.is_empty()
            || !about_technology && tokens(&statement.text).iter().filter(|token| token.is_word()).count() > 3
    });
    brief.notes.extend(notes);
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
