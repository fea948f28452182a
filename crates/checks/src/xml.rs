//! The little of XML that reports need: tags and attributes, in order. Entities of a document's own are refused.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

pub(crate) enum Tag<'a> {
    Open(Element<'a>),
    Close,
}

pub(crate) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Without a namespace prefix.
    pub(crate) fn name(&self) -> String {
        self.0.local_name().as_ref().to_owned()
    }

    pub(crate) fn attribute(&self, name: &str) -> Result<Option<String>, String> {
        let found = self.0.try_get_attribute(name).map_err(|error| error.to_string())?;
        let value = found.map(|attribute| attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0));
        match value {
            None => Ok(None),
            Some(Ok(value)) => Ok(Some(value.into_owned())),
            Some(Err(error)) => Err(error.to_string()),
        }
    }

    /// An attribute that is a count; one that is there and no number spoils the document.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(value) = self.attribute(name)? else {
            return Ok(None);
        };
        let number = value.trim().parse().map_err(|_| format!("`{name}` is not a number"))?;
        Ok(Some(number))
    }
}

/// Shows every tag to `see`, an empty element as two. Fails on what is not well-formed, and on a document that is cut off.
pub(crate) fn walk(text: &str, mut see: impl FnMut(Tag<'_>) -> Result<(), String>) -> Result<(), String> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    let mut depth = 0_usize;
    let mut elements = 0_usize;
    loop {
        match reader.read_event().map_err(|error| format!("not XML: {error}"))? {
            Event::Start(element) => {
                depth += 1;
                elements += 1;
                see(Tag::Open(Element(element)))?;
            }
            Event::Empty(element) => {
                elements += 1;
                see(Tag::Open(Element(element)))?;
                see(Tag::Close)?;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                see(Tag::Close)?;
            }
            Event::Eof if depth > 0 => return Err("the document is cut off".to_owned()),
            Event::Eof if elements == 0 => return Err("the document is empty".to_owned()),
            Event::Eof => return Ok(()),
            Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
}
