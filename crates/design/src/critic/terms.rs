//! Names of technology, and in which company an ordinary word is one.

use std::sync::LazyLock;

use super::words::{Phrases, Word};

/// What kind of technology a term names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TermClass {
    Framework,
    Database,
    Platform,
    Language,
    Interface,
}

impl TermClass {
    pub const ALL: [TermClass; 5] = [Framework, Database, Platform, Language, Interface];
}

use TermClass::{Database, Framework, Interface, Language, Platform};

/// Terms that are nothing else. In small letters; a hyphen is a space. Whole words only.
const PLAIN: &[(TermClass, &str)] = &[
    (
        Framework,
        "react.js|reactjs|react native|react router|next.js|nextjs|nuxt|nuxt.js|vue|vue.js|vuejs|vuex|pinia store|angularjs|\
         angular.js|sveltekit|solidjs|solid.js|preact|ember.js|emberjs|backbone.js|backbonejs|jquery|\
         jquery ui|alpine.js|htmx|lit element|stencil.js|qwik|astro.js|gatsby.js|gatsbyjs|remix.run|redux|mobx|\
         zustand|rxjs|ngrx|tanstack|apollo client|styled components|emotion.js|tailwindcss|tailwind css|\
         bootstrap css|bulma css|material ui|material design|mui|ant design|antd|chakra ui|semantic ui|vuetify|\
         primeng|primereact|primevue|kendo ui|ag grid|fluent ui|shadcn|radix ui|headless ui|quasar framework|\
         ionic framework|flutter widget|flutter widgets|flutter app|swiftui|uikit|jetpack compose|xamarin|maui app|\
         winforms|wpf|qt widgets|qtquick|electron app|electron.js|tauri|capacitor.js|cordova|phonegap|express.js|\
         expressjs|nestjs|nest.js|fastify|koa.js|hapi.js|adonisjs|meteor.js|socket.io|django|fastapi|flask.py|\
         pyramid framework|ruby on rails|sinatra.rb|laravel|symfony|codeigniter|cakephp|zend framework|wordpress|\
         drupal|joomla|spring boot|spring mvc|spring data|springboot|hibernate orm|quarkus|micronaut|\
         jsf|thymeleaf|asp.net|aspnet|blazor|entity framework|.net core|.net|dotnet|actix|axum|rocket.rs|serde|\
         phoenix liveview|liveview|three.js|d3.js|chart.js|highcharts|leaflet.js|lodash|underscore.js|moment.js|\
         axios|storybook.js|tensorflow|pytorch|keras|scikit learn|numpy|pandas dataframe|web components|shadow dom|\
         virtual dom|\
         flexbox|css grid",
    ),
    (
        Database,
        "postgres|postgresql|mysql|mariadb|sqlite|sqlite3|mongodb|mongo db|mongoose schema|couchdb|couchbase|dynamodb|\
         redis|memcached|elasticsearch|opensearch|neo4j|influxdb|timescaledb|cockroachdb|clickhouse|snowflake warehouse|\
         bigquery|cosmos db|cosmosdb|oracle database|oracle db|sql server|mssql|db2|firestore|rethinkdb|\
         supabase|planetscale|prisma client|prisma schema|sequelize|typeorm|sqlalchemy|knex|sql|nosql|plsql|t sql|\
         primary key|foreign key|foreign keys|stored procedure|stored procedures|database table|database tables|\
         database index|varchar|nvarchar|auto increment|solr|pinecone index|rocksdb|leveldb|duckdb",
    ),
    (
        Platform,
        "aws|amazon web services|aws lambda|amazon s3|s3 bucket|s3 buckets|ec2|cloudfront|cloudformation|cloudwatch|\
         google cloud|gcp|cloud run|app engine|microsoft azure|azure functions|azure blob|heroku|vercel|netlify|\
         cloudflare workers|digitalocean|firebase|kubernetes|k8s|helm chart|docker compose|docker container|\
         docker containers|docker image|docker images|dockerfile|dockerized|podman|ansible playbook|\
         github actions|gitlab ci|circleci|nginx|apache server|apache tomcat|tomcat server|webpack|vite.js|vitejs|\
         rollup.js|esbuild|parcel.js|babel.js|babeljs|npm|npm package|yarn add|pnpm|pip install|maven build|gradle|\
         rabbitmq|apache kafka|kafka topic|kafka topics|kafka queue|kafka stream|sqs|pubsub topic|openstack|vmware|\
         serverless function|serverless functions|lambda function|lambda functions|cron job|cron jobs|cronjob|node.js|nodejs|\
         deno|bun.sh|jvm|linux kernel|localstorage|session storage|sessionstorage|indexeddb\
         ",
    ),
    (
        Language,
        "solidity contract|javascript|typescript|ecmascript|jsx|tsx|php|kotlin|golang|clojure|haskell|ocaml|erlang|fortran|cobol|\
         c++|f#|vb.net|visual basic|objective c|perl|lua|matlab|html|html5|xhtml|css|css3|scss|webassembly|wasm|bash script|\
         shell script|powershell|groovy script",
    ),
    (
        Interface,
        "restful service|restful endpoint|ajax call|ajax request|ajax requests|rest api|rest apis|rest endpoint|rest endpoints|restful api|graphql|grpc|soap service|odata|websocket|\
         websockets|webhook|webhooks|xmlhttprequest|fetch api|http request|http requests|http endpoint|http header|\
         http headers|http status|http post|http get|api endpoint|api endpoints|json payload|json body|json response|\
         json object|json schema|xml payload|protobuf|jwt|jwt token|oauth2 flow|cors|microservice|microservices|\
         message broker|mvc|mvvm|orm|event listener|event handler|event handlers|callback function|\
         state hook|higher order component|dom element|dom node|query parameter|query parameters|query string",
    ),
];

/// An ordinary word that is also a name: it is a name before one of its own companions, or written with a capital after
/// words such as `built with`, at the end of a clause.
struct Ordinary {
    class: TermClass,
    word: &'static str,
    companions: &'static str,
}

const fn ordinary(class: TermClass, word: &'static str, companions: &'static str) -> Ordinary {
    Ordinary {
        class,
        word,
        companions,
    }
}

const ORDINARY: &[Ordinary] = &[
    ordinary(
        Framework,
        "react",
        "component components hook hooks app application frontend front context state props code developer developers library \
         framework based project table query form",
    ),
    ordinary(
        Framework,
        "angular",
        "component components service services app application module modules directive directives material frontend \
         front router cli template templates framework based project",
    ),
    ordinary(
        Framework,
        "spring",
        "framework security cloud bean beans controller backend",
    ),
    ordinary(Framework, "express", "server app middleware router framework backend"),
    ordinary(Framework, "ember", "component app data framework cli router"),
    ordinary(Framework, "backbone", "model router framework"),
    ordinary(
        Framework,
        "flask",
        "app application server framework backend route blueprint",
    ),
    ordinary(
        Framework,
        "rails",
        "app application controller controllers backend migration api",
    ),
    ordinary(Framework, "struts", "framework action"),
    ordinary(Framework, "svelte", "component components app store framework"),
    ordinary(
        Framework,
        "tailwind",
        "class classes utility utilities config styles theme",
    ),
    ordinary(Framework, "phoenix", "framework channel channels"),
    ordinary(Framework, "flutter", "framework project code sdk"),
    ordinary(Framework, "bootstrap", "grid modal theme css classes framework navbar"),
    ordinary(Framework, "foundation", "css framework"),
    ordinary(Framework, "bulma", "css"),
    ordinary(Framework, "electron", "framework shell desktop"),
    ordinary(Framework, "meteor", "app framework js"),
    ordinary(Framework, "ionic", "app component components framework"),
    ordinary(Framework, "unity", "engine scene prefab script"),
    ordinary(Framework, "unreal", "engine blueprint"),
    ordinary(Framework, "storybook", "stories js component"),
    ordinary(Framework, "remix", "loader framework app route"),
    ordinary(Framework, "gatsby", "site plugin framework"),
    ordinary(Framework, "astro", "framework component island"),
    ordinary(Framework, "leaflet", "js plugin"),
    ordinary(Framework, "next", "js"),
    ordinary(Database, "mongo", "collection database document documents"),
    ordinary(Database, "oracle", "table schema"),
    ordinary(Database, "cassandra", "cluster table keyspace database"),
    ordinary(Database, "access", "database"),
    ordinary(Database, "redshift", "cluster warehouse table"),
    ordinary(Database, "snowflake", "database schema"),
    ordinary(
        Platform,
        "docker",
        "compose container containers image images swarm volume host",
    ),
    ordinary(Platform, "node", "server js backend runtime module package process"),
    ordinary(
        Platform,
        "azure",
        "cloud function functions storage devops blob portal tenant",
    ),
    ordinary(Platform, "lambda", "handler"),
    ordinary(Platform, "kafka", "broker consumer producer cluster event"),
    ordinary(Platform, "apache", "spark airflow webserver"),
    ordinary(Platform, "jenkins", "pipeline job jobs build"),
    ordinary(Platform, "terraform", "module modules script state provider"),
    ordinary(Platform, "gulp", "task"),
    ordinary(Platform, "grunt", "task"),
    ordinary(Platform, "parcel", "bundler"),
    ordinary(Platform, "vite", "build config bundler"),
    ordinary(
        Language,
        "java",
        "class classes code app application service backend bean servlet method library",
    ),
    ordinary(
        Language,
        "python",
        "script scripts code module backend function library service package class",
    ),
    ordinary(Language, "ruby", "gem code script class backend"),
    ordinary(
        Language,
        "go",
        "routine routines code backend microservice struct binary",
    ),
    ordinary(Language, "rust", "code crate crates backend compiler struct library"),
    ordinary(Language, "swift", "code class package struct"),
    ordinary(Language, "dart", "code class package"),
    ordinary(Language, "scala", "code class library"),
    ordinary(Language, "elixir", "code module process backend"),
    ordinary(Language, "basic", "code script"),
    ordinary(Language, "c#", "code class service backend"),
    ordinary(Language, "julia", "code script"),
];

/// Words after which a capitalised ordinary word names what something is made with.
const MADE_WITH: &[&str] = &[
    "using",
    "built with",
    "built in",
    "built on",
    "build with",
    "build it with",
    "build it in",
    "written in",
    "implemented in",
    "implemented with",
    "implemented as",
    "powered by",
    "coded in",
    "programmed in",
    "developed in",
    "developed with",
    "rendered by",
    "rendered with",
    "deployed on",
    "deployed to",
    "deployed with",
    "hosted on",
    "runs on",
    "running on",
    "stored in",
    "saved in",
    "compiled to",
    "packaged with",
    "bundled with",
    "ported to",
];

/// What may follow such a name without a stop.
const CLAUSE_GOES_ON: &[&str] = &["and", "or", "to", "with", "for", "on", "because", "so", "but", "as"];

static PLAIN_TERMS: LazyLock<Phrases<TermClass>> = LazyLock::new(|| Phrases::new(plain_terms()));
static MADE_WITH_PHRASES: LazyLock<Vec<Vec<&str>>> =
    LazyLock::new(|| MADE_WITH.iter().map(|phrase| phrase.split(' ').collect()).collect());

/// Names that are nothing else.
pub fn plain_terms() -> impl Iterator<Item = (&'static str, TermClass)> {
    PLAIN
        .iter()
        .flat_map(|(class, terms)| terms.split('|').map(|term| (term, *class)))
}

/// Ordinary words that are names before one of their companions.
pub fn ordinary_terms() -> impl Iterator<Item = (&'static str, TermClass, &'static str)> {
    ORDINARY.iter().map(|term| (term.word, term.class, term.companions))
}

/// The terms of a text: what kind, and as written.
pub(super) fn find(words: &[Word]) -> Vec<(TermClass, String)> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < words.len() {
        if let Some((length, class)) = find_plain(words, index) {
            let written: Vec<&str> = words[index..index + length]
                .iter()
                .map(|word| word.written.as_str())
                .collect();
            found.push((class, written.join(" ")));
            index += length;
            continue;
        }
        let ordinary = ORDINARY.iter().find(|term| term.word == words[index].small);
        if let Some(term) = ordinary.filter(|term| is_name(term, words, index)) {
            found.push((term.class, words[index].written.clone()));
        }
        index += 1;
    }
    found
}

/// The terms that are nothing else, at one place. Also for names whose words run together, where company says little.
pub(super) fn find_plain(words: &[Word], index: usize) -> Option<(usize, TermClass)> {
    PLAIN_TERMS.at(words, index)
}

fn is_name(term: &Ordinary, words: &[Word], index: usize) -> bool {
    let word = &words[index];
    let next = words.get(index + 1).filter(|_| !word.ends_clause);
    let is_companion = |next: &Word| {
        term.companions
            .split_whitespace()
            .any(|companion| companion == next.small)
    };
    if next.is_some_and(is_companion) {
        return true;
    }
    let has_capital = word.written.chars().next().is_some_and(char::is_uppercase);
    let ends = next.is_none_or(|next| CLAUSE_GOES_ON.contains(&next.small.as_str()));
    has_capital && ends && is_after_made_with(words, index)
}

fn is_after_made_with(words: &[Word], index: usize) -> bool {
    MADE_WITH_PHRASES.iter().any(|phrase| {
        let before = index.checked_sub(phrase.len()).map(|start| &words[start..index]);
        before.is_some_and(|before| before.iter().zip(phrase).all(|(word, part)| word.small == *part))
    })
}
