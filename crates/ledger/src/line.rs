//! The form of one line, to the byte.

use std::io::Write as _;

use onus_model::{Digest, LevelName, Record, RunId, Stamped};
use serde::Serialize;

use crate::error::{Cause, LedgerError};
use crate::key::Key;

/// Bounds what one damaged byte can make a reader hold in memory. Large outputs are objects, not events.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// What the first event follows.
pub(crate) const GENESIS: Digest = Digest::from_bytes([0; 32]);

const PREV: &[u8] = br#","prev":""#;
const HASH: &[u8] = br#"","hash":""#;
const MAC: &[u8] = br#"","mac":""#;
const END: &[u8] = br#""}"#;
const HEX: usize = 64;
/// What follows the hashed bytes: `,"hash":"…","mac":"…"}` and the line end.
const SEAL_BYTES: usize = HASH.len() - 1 + HEX + MAC.len() + HEX + END.len() + 1;

/// A line taken apart without a JSON parser. Nothing is verified yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) seq: u64,
    pub(crate) run_id: &'a str,
    /// What `hash` covers.
    pub(crate) body: &'a [u8],
    pub(crate) prev: &'a [u8],
    pub(crate) hash: &'a [u8],
    pub(crate) mac: &'a [u8],
    /// All of it, without the line end.
    pub(crate) text: &'a [u8],
}

impl<'a> Line<'a> {
    /// Takes a line apart; the line end is already off. `None` if the text does not have the form.
    pub(crate) fn parse(text: &'a [u8]) -> Option<Line<'a>> {
        let (rest, mac) = split_hex(text.strip_suffix(END)?)?;
        let (rest, hash) = split_hex(rest.strip_suffix(MAC)?)?;
        let rest = rest.strip_suffix(HASH)?;
        // The quote that ends `prev` belongs to the hashed bytes; the comma after it does not.
        let body = text.get(..=rest.len())?;
        let (rest, prev) = split_hex(rest)?;
        let fields = rest.strip_suffix(PREV)?.strip_prefix(br#"{"seq":"#)?;
        let (seq, fields) = split_at_byte(fields, b',')?;
        let (_, fields) = split_at_byte(fields.strip_prefix(br#""ts":""#)?, b'"')?;
        let (run_id, _) = split_at_byte(fields.strip_prefix(br#","run_id":""#)?, b'"')?;
        Some(Line {
            seq: std::str::from_utf8(seq).ok()?.parse().ok()?,
            run_id: std::str::from_utf8(run_id).ok()?,
            body,
            prev,
            hash,
            mac,
            text,
        })
    }

    /// The event's name, found without parsing. A quote inside a JSON string is escaped, so the first hit is the key.
    pub(crate) fn event(&self) -> Option<&'a str> {
        const KEY: &[u8] = br#","event":""#;
        let at = self.body.windows(KEY.len()).position(|window| window == KEY)?;
        let (name, _) = split_at_byte(self.body.get(at + KEY.len()..)?, b'"')?;
        std::str::from_utf8(name).ok()
    }

    pub(crate) fn record(&self) -> Result<Record, Cause> {
        serde_json::from_slice(self.text).map_err(|e| Cause::Record(e.to_string()))
    }

    /// The same line with another seal, line end included.
    pub(crate) fn reseal(&self, key: &Key, hash: &Digest) -> Vec<u8> {
        seal(self.body.to_vec(), key, hash)
    }
}

/// Where the next line goes.
pub(crate) struct Next<'a> {
    pub(crate) seq: u64,
    pub(crate) prev: Digest,
    pub(crate) ts: &'a str,
    pub(crate) run_id: &'a RunId,
}

#[derive(Serialize)]
struct Fields<'a> {
    seq: u64,
    ts: &'a str,
    run_id: &'a RunId,
    iteration: u32,
    phase: &'a LevelName,
    step: &'a str,
    event: &'static str,
    status: &'a str,
}

/// The bytes of a line, line end included, and the record a reader will get from them.
pub(crate) fn encode(next: &Next<'_>, stamped: &Stamped, key: &Key) -> Result<(Vec<u8>, Record), LedgerError> {
    let event = stamped.event.name();
    let failed = |source| LedgerError::Encode { event, source };
    let mut body = serde_json::to_vec(&Fields {
        seq: next.seq,
        ts: next.ts,
        run_id: next.run_id,
        iteration: stamped.iteration,
        phase: &stamped.phase,
        step: &stamped.step,
        event,
        status: &stamped.status,
    })
    .map_err(|e| failed(Some(e)))?;
    body.pop();
    // serde writes `{"event":"…","payload":{…}}`; what is wanted here is `,"payload":{…}`.
    let tagged = serde_json::to_string(&stamped.event).map_err(|e| failed(Some(e)))?;
    let payload = tagged
        .strip_prefix(&format!(r#"{{"event":"{event}""#))
        .filter(|payload| payload.starts_with(r#","payload":{"#))
        .and_then(|payload| payload.strip_suffix('}'))
        .ok_or_else(|| failed(None))?;
    body.extend_from_slice(payload.as_bytes());
    body.extend_from_slice(PREV);
    body.extend_from_slice(&hex(&next.prev));
    body.push(b'"');

    let bytes = body.len() + SEAL_BYTES;
    if bytes > LINE_BYTES_MAX {
        let limit = LINE_BYTES_MAX;
        return Err(LedgerError::LineTooLong { bytes, limit });
    }
    let hash = Digest::of(&body);
    let record = Record {
        seq: next.seq,
        ts: next.ts.to_owned(),
        run_id: next.run_id.clone(),
        stamped: stamped.clone(),
        prev: next.prev,
        hash,
        mac: key.seal(&hash),
    };
    Ok((seal(body, key, &hash), record))
}

fn seal(mut body: Vec<u8>, key: &Key, hash: &Digest) -> Vec<u8> {
    // Writing to a vector does not fail.
    let _ = writeln!(body, r#","hash":"{hash}","mac":"{}"}}"#, key.seal(hash));
    body
}

/// A digest's text, without the detour through `fmt`: this runs three times for every line verified.
pub(crate) fn hex(digest: &Digest) -> [u8; HEX] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0u8; HEX];
    for (pair, byte) in text.chunks_exact_mut(2).zip(digest.as_bytes()) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    text
}

fn split_hex(text: &[u8]) -> Option<(&[u8], &[u8])> {
    text.split_at_checked(text.len().checked_sub(HEX)?)
}

fn split_at_byte(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|b| *b == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{Scene, events};

    #[test]
    fn a_line_has_the_documented_order_and_checks_with_plain_tools() {
        let scene = Scene::with_events(1);
        let bytes = scene.history();
        let text = std::str::from_utf8(&bytes).unwrap();
        let keys = [
            "{\"seq\":1,",
            "\"ts\":",
            "\"run_id\":",
            "\"iteration\":",
            "\"phase\":",
            "\"step\":",
            "\"event\":",
            "\"status\":",
            "\"payload\":",
            "\"prev\":",
            "\"hash\":",
            "\"mac\":",
        ];
        let places: Vec<_> = keys
            .iter()
            .map(|key| text.find(key).unwrap_or_else(|| panic!("{key} in {text}")))
            .collect();
        assert!(places.is_sorted(), "{text}");
        let (body, seal) = text.split_once(",\"hash\":").unwrap();
        assert!(
            seal.starts_with(&format!("\"{}\"", Digest::of(body.as_bytes()))),
            "{text}"
        );
        assert!(body.contains(&format!("\"prev\":\"{}\"", "0".repeat(64))), "{text}");
    }

    #[test]
    fn every_kind_of_event_reads_back_as_written() {
        let scene = Scene::new();
        let (mut prev, run_id) = (GENESIS, scene.run_id.clone());
        for (seq, stamped) in (1..).zip(events(12)) {
            let next = Next {
                seq,
                prev,
                ts: "2026-02-18T12:00:00Z",
                run_id: &run_id,
            };
            let (bytes, record) = encode(&next, &stamped, &scene.key()).unwrap();
            let line = Line::parse(bytes.strip_suffix(b"\n").unwrap()).unwrap();
            assert_eq!(line.record().unwrap(), record);
            assert_eq!(line.event(), Some(stamped.event.name()));
            assert_eq!((line.seq, line.run_id), (seq, run_id.as_str()));
            assert_eq!(line.prev, hex(&prev));
            assert_eq!(line.reseal(&scene.key(), &record.hash), bytes);
            prev = record.hash;
        }
    }

    #[test]
    fn a_piece_of_a_line_is_not_a_line() {
        let bytes = Scene::with_events(1).history();
        let text = bytes.strip_suffix(b"\n").unwrap();
        assert!(Line::parse(text).is_some());
        for at in 1..text.len() {
            assert!(
                Line::parse(&text[at..]).is_none() && Line::parse(&text[..at]).is_none(),
                "{at}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_parse_or_do_not_but_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Line::parse(&bytes);
        }
    }
}
