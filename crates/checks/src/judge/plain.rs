//! Text as a reader takes it: without invisible characters, with look-alikes as the letters they look like, in lower case.
//! Lines stay lines.

/// The text as a reader would type it.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_invisible(*c)) {
        plain.extend(ascii(c).to_lowercase());
    }
    plain
}

/// The words of a line, in order. `_` ends a word: `final_score` speaks of a score.
pub(super) fn words(line: &str) -> Vec<&str> {
    let parts = line.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).collect()
}

/// Zero-width, direction marks, variation selectors, tags, and marks that combine with the letter before.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e01ef}')
}

/// Letters of other scripts that are drawn like Latin ones, in pairs.
const LOOK_ALIKES: &str = "аaвbеeёeіiїiјjкkмmнhоoрpсcтtуyхxѕsԁdԛqԝwһhӏlАaВbЕeІiЈjКkМmНhОoРpСcТtУyХxЅs\
    αaβbεeιiκkνvοoρpτtυuχxΑaΒbΕeΖzΗhΙiΚkΜmΝnΟoΡpΤtΥyΧxıiɡgɩiℓlℯeℊgℴoℎh\
    ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz";

fn ascii(c: char) -> char {
    if c.is_ascii() {
        return c;
    }
    let code = u32::from(c);
    // Each range holds the alphabet, or the digits, once or many times over.
    let found = match code {
        0xff01..=0xff5e => Some(code - 0xfee0),
        0x1d400..=0x1d6a3 => Some(letter((code - 0x1d400) % 26)),
        0x1d7ce..=0x1d7ff => Some(u32::from('0') + (code - 0x1d7ce) % 10),
        0x24b6..=0x24e9 => Some(letter((code - 0x24b6) % 26)),
        0x1f130..=0x1f149 => Some(letter(code - 0x1f130)),
        0x1f150..=0x1f169 => Some(letter(code - 0x1f150)),
        0x1f170..=0x1f189 => Some(letter(code - 0x1f170)),
        _ => None,
    };
    let drawn = || {
        let mut pairs = LOOK_ALIKES.chars();
        while let (Some(from), Some(to)) = (pairs.next(), pairs.next()) {
            if from == c {
                return to;
            }
        }
        c
    };
    // Most scripts have none, and are not searched for.
    let may_look_alike = matches!(code,
        0x131 | 0x250..=0x2af | 0x370..=0x52f | 0x1d00..=0x1d7f | 0x2100..=0x214f | 0xa730..=0xa7ff);
    match found.and_then(char::from_u32) {
        Some(letter) => letter,
        None if may_look_alike => drawn(),
        None => c,
    }
}

fn letter(number: u32) -> u32 {
    u32::from('a') + number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_are_taken_off() {
        for (text, expected) in [
            ("Score", "score"),
            ("s\u{200b}c\u{ad}o\u{2060}re", "score"),
            ("ѕсоrе", "score"),
            ("ｓｃｏｒｅ　０．８６", "score　0.86"),
            ("𝐬𝐜𝐨𝐫𝐞 𝟎.𝟖𝟔", "score 0.86"),
            ("ⓢⓒⓞⓡⓔ", "score"),
            ("ꜱᴄᴏʀᴇ", "score"),
            ("s\u{336}c\u{336}ore", "score"),
            ("ΡΑSS", "pass"),
            ("naïve\nÜber", "naïve\nüber"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
        let pairs: Vec<char> = LOOK_ALIKES.chars().collect();
        for pair in pairs.chunks(2) {
            assert_eq!(ascii(pair[0]), pair[1]);
            assert!(!pair[0].is_ascii() && pair[1].is_ascii_lowercase(), "{pair:?}");
        }
        assert_eq!(words("the final_score: 0.86!"), ["the", "final", "score", "0", "86"]);
    }
}
