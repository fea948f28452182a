//! The rules of the critic, as data. `docs/reference/design-critic.md` prints this table; a test holds the two together.

use super::Dimension::{self, Clarity, Coherence, Completeness, DataModelIntegrity, FrameworkAgnosticism};

/// One rule: what it costs to break it, once and at most.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    pub id: &'static str,
    pub dimension: Dimension,
    /// Hundredths of a point of the dimension, for each finding.
    pub cost: u16,
    /// Hundredths of a point of the dimension, for all findings of this rule.
    pub limit: u16,
    /// When there is a finding.
    pub when: &'static str,
    /// What to do about one.
    pub fix: &'static str,
}

macro_rules! rules {
    ($($name:ident $id:literal $dimension:ident $cost:literal $limit:literal $when:literal $fix:literal;)*) => {
        $(pub(super) static $name: Rule = Rule {
            id: $id,
            dimension: $dimension,
            cost: $cost * 100,
            limit: $limit * 100,
            when: $when,
            fix: $fix,
        };)*
        /// All rules, by dimension.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    TITLE_EMPTY "title-empty" Completeness 9 9
        "the title has fewer than 4 letters, or is a word such as `untitled` or `new feature`"
        "name the feature as people would call it";
    GOALS_FEW "goals-few" Completeness 15 15
        "there are fewer than two goals"
        "add a goal: what is better, and for whom, when the feature is there";
    GOAL_THIN "goal-thin" Completeness 9 27
        "a goal has fewer than 4 words"
        "say in a sentence what is better, and for whom";
    FLOW_SHORT "flow-short" Completeness 12 36
        "a flow has fewer than two steps"
        "add the steps from the reason to the outcome";
    FLOW_ACTOR "flow-actor" Completeness 9 27
        "the actor of a flow names nobody (no letters, or a word such as `none`, `anyone`, `n/a`)"
        "name who goes this way, for example `returning customer`";
    FLOW_OUTCOME "flow-outcome" Completeness 9 27
        "the outcome of a flow has fewer than 3 words"
        "say what the actor has at the end";
    VIEW_NONE "view-none" Completeness 38 38
        "no component is a view, although a flow is gone by a person"
        "add the view in which the first step happens";
    VIEW_THIN "view-thin" Completeness 9 27
        "the description of a view has fewer than 5 words"
        "say what people see and can do there";
    VIEW_EMPTY "view-empty" Completeness 8 23
        "a view has nothing inside it and names no data"
        "add the components that it consists of";
    CONTROL_NONE "control-none" Completeness 15 15
        "people enter, select, submit, create, update, delete, confirm or search, and there is no control"
        "add the control that each of these steps is done with";
    CONTROL_SILENT "control-silent" Completeness 8 38
        "a control has no interaction"
        "add an interaction: what sets it off, and what happens then, also when it goes wrong";
    CONTROL_ERROR "control-error" Completeness 6 30
        "a control that a step submits, creates, updates or deletes with has interactions, and none says what happens when it goes wrong"
        "say in the response what people see when it cannot be done";
    INTERACTION_NONE "interaction-none" Completeness 15 15
        "there is no interaction at all"
        "say for each control what sets it off and what happens then";
    ENTITY_NONE "entity-none" Completeness 30 30
        "the data model is empty, although a component shows data or a step submits, creates, updates or deletes"
        "add an entity for what is kept";
    ENTITY_THIN "entity-thin" Completeness 8 23
        "an entity has fewer than two attributes"
        "add what is known about one of them";

    FLOW_NONE "flow-none" Coherence 30 30
        "no flow has two steps or more that all name existing components: nothing is there that could fit together"
        "write one flow from its reason to its outcome, step by step";
    STEP_COMPONENT "step-component" Coherence 18 72
        "a step names a component that does not exist"
        "name an existing component, or add this one";
    INTERACTION_COMPONENT "interaction-component" Coherence 12 36
        "an interaction names a component that does not exist"
        "name an existing component, or add this one";
    PARENT_UNKNOWN "parent-unknown" Coherence 15 45
        "a component is inside one that does not exist"
        "name an existing component, or add this one";
    PARENT_CIRCLE "parent-circle" Coherence 23 45
        "components are inside one another in a circle"
        "let the outermost one be inside none";
    VIEW_NESTED "view-nested" Coherence 9 27
        "a view is inside another component"
        "make it a container, or take it out";
    PART_OUTSIDE "part-outside" Coherence 9 36
        "a control or data component is not directly inside a view or container"
        "put it into the view or container where people find it";
    ORPHAN "orphan" Coherence 8 38
        "no step names the component or anything inside it"
        "use it in a step of a flow, or remove it";
    STEP_CONTROL "step-control" Coherence 9 36
        "people enter, select, submit or confirm at components that are no controls and have none inside"
        "name the control that it is done with";
    CHANGE_DATA "change-data" Coherence 12 48
        "a step submits, creates, updates or deletes, and no component there shows or changes data"
        "name at the component which entity it changes";
    ENTRY_LOST "entry-lost" Coherence 9 27
        "something is entered in a flow and never submitted, saved, confirmed, searched for or computed with afterwards"
        "add the step that does something with it";
    FLOW_TWICE "flow-twice" Coherence 12 36
        "two flows have the same actions at the same components in the same order"
        "merge them, or say what is different";
    VIEW_ISLAND "view-island" Coherence 9 27
        "an actor's flows lead through views that nothing connects"
        "add the step or the interaction that leads from one to the other";

    PROSE_NONE "prose-none" Clarity 30 30
        "fewer than half of the goals, outcomes and descriptions of steps, components and entities have 4 words or more"
        "say each in a sentence";
    ID_TWICE "id-twice" Clarity 18 54
        "an id of a flow, component, interaction, or of a step within its flow, stands there twice"
        "give each an id of its own";
    NAME_TWICE "name-twice" Clarity 9 36
        "two flows, or two components inside the same one, have the same name"
        "name each by what it alone does";
    PLACEHOLDER "placeholder" Clarity 18 90
        "a text holds the place of one (`TBD`, `TODO`, `lorem ipsum`, `???`)"
        "write the text";
    VAGUE "vague" Clarity 9 90
        "a text has a word or phrase of the vagueness lexicon"
        "say exactly what, how many, how long or when";
    DESCRIPTION_NAME "description-name" Clarity 9 36
        "a description only repeats the name"
        "say what it is for and what it contains";
    DESCRIPTION_SHORT "description-short" Clarity 6 48
        "a description has too few words: under 4 for a component that is no view or an entity, under 3 for a step or a response, under 2 for a trigger"
        "say it in a sentence";
    DESCRIPTION_EMPTY "description-empty" Clarity 8 45
        "a goal, outcome or description has only words that fit everything, such as `shows data`"
        "name the things and the people that it is about";
    DESCRIPTION_TWICE "description-twice" Clarity 8 30
        "two goals, components, entities, or steps of a flow, have the same description"
        "say what is different about each";
    SENTENCE_LONG "sentence-long" Clarity 6 24
        "a sentence has more than 40 words"
        "make two sentences of it";
    CHOICE_UNSAID "choice-unsaid" Clarity 5 18
        "an attribute is a choice and its description does not say of what"
        "list the choices in its description";
    CHARACTER_HIDDEN "character-hidden" Clarity 12 36
        "a text has control characters, zero-width characters or marks that turn the reading direction"
        "remove them";

    TERM_FRAMEWORK "term-framework" FrameworkAgnosticism 30 100
        "a text names a framework, a library or a kit of controls"
        "say what people see and do, not what it is built with";
    TERM_DATABASE "term-database" FrameworkAgnosticism 30 100
        "a text names a database, a query language or a part of one"
        "say what is kept, not where";
    TERM_PLATFORM "term-platform" FrameworkAgnosticism 30 100
        "a text names a cloud, a host, a container or a build tool"
        "say what must hold for people, not where it runs";
    TERM_LANGUAGE "term-language" FrameworkAgnosticism 30 100
        "a text names a programming or markup language"
        "leave the language to those who build it";
    TERM_INTERFACE "term-interface" FrameworkAgnosticism 23 90
        "a text names a protocol or the shape of a technical interface, such as a `REST endpoint`"
        "say who tells whom what, not over which wire";
    CODE "code" FrameworkAgnosticism 30 100
        "a text has code in it: tags, queries, calls, operators, names of source files"
        "say in words what it does for people";

    MODEL_UNUSED "model-unused" DataModelIntegrity 30 30
        "no component names an existing entity, although there are some, or a component shows data, or a step submits, creates, updates or deletes"
        "name at the components which entities they show or change";
    DATA_UNKNOWN "data-unknown" DataModelIntegrity 18 72
        "a component names an entity that does not exist"
        "name an existing entity, or add this one";
    DATA_NONE "data-none" DataModelIntegrity 12 36
        "a data component names no entity, although there are some"
        "name the entity that it shows";
    CHANGE_ENTITY "change-entity" DataModelIntegrity 12 36
        "a step submits, creates, updates or deletes, and none of the entities named there exists"
        "add the entity that the step changes";
    ENTITY_TWICE "entity-twice" DataModelIntegrity 18 54
        "two entities have the same name"
        "merge them, or name each by what it alone is";
    ENTITY_KEY "entity-key" DataModelIntegrity 15 45
        "an entity has no unique attribute and no identifier"
        "add the attribute that tells one from another";
    ENTITY_REQUIRED "entity-required" DataModelIntegrity 8 23
        "no attribute of an entity is required"
        "mark what must always be known";
    ENTITY_UNUSED "entity-unused" DataModelIntegrity 9 27
        "no component names an entity, nor one that it is directly related to"
        "name it at the component that shows or changes it, or remove it";
    ENTITY_ISOLATED "entity-isolated" DataModelIntegrity 9 27
        "there are several entities and this one is related to none"
        "say what it is to another entity";
    ATTRIBUTE_TWICE "attribute-twice" DataModelIntegrity 12 36
        "an entity has two attributes of the same name, but for capital letters"
        "keep one, or name each by what it alone is";
    ATTRIBUTE_KIND "attribute-kind" DataModelIntegrity 5 18
        "the name of an attribute tells its type (`…At`, `…Date`, `is…`, `has…`, `email`, `price`, `quantity`) and it has another"
        "give it the type that its name promises, or another name";
    NAME_FORM "name-form" DataModelIntegrity 8 23
        "the name of an entity or attribute is not in camel case, or says nothing (`Data`, `Thing`, `value1`)"
        "name it by what it is";
    RELATION_UNKNOWN "relation-unknown" DataModelIntegrity 18 54
        "a relationship points to an entity that does not exist"
        "name an existing entity, or add this one";
    RELATION_MISMATCH "relation-mismatch" DataModelIntegrity 9 27
        "two entities each have relationships to the other, and one of them has no counterpart of the inverse cardinality"
        "let both sides say the same; one side alone is enough";
    RELATION_TWICE "relation-twice" DataModelIntegrity 8 23
        "an entity has the same relationship to the same entity twice"
        "keep one";
}
