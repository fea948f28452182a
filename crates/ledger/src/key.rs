//! The machine's secret, with which every event is sealed.
#![allow(
    clippy::disallowed_methods,
    reason = "the key is the one file that must be created, never replaced"
)]

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use onus_model::Digest;
use sha2::Sha256;

use crate::disk;
use crate::error::{Attempt as _, LedgerError};
use crate::places::Places;

/// Only the owner enters the state folder.
pub(crate) const STATE_MODE: u32 = 0o700;

/// HMAC-SHA256 with the key already absorbed, so that one seal costs two blocks.
#[derive(Clone)]
pub(crate) struct Key(Hmac<Sha256>);

impl Key {
    fn new(secret: &[u8; 32]) -> Key {
        // HMAC pads a key to one block of its hash with zeros.
        let mut block = [0u8; 64];
        block[..32].copy_from_slice(secret);
        Key(Hmac::new(&block.into()))
    }

    pub(crate) fn seal(&self, hash: &Digest) -> Digest {
        let mut mac = self.0.clone();
        mac.update(hash.as_bytes());
        Digest::from_bytes(mac.finalize().into_bytes().into())
    }

    /// The key of this machine, if it has one.
    pub(crate) fn load(places: &Places) -> Result<Option<Key>, LedgerError> {
        let path = places.key();
        let Some(bytes) = disk::read_bounded(&path, 128)? else {
            return Ok(None);
        };
        // 64 hex digits are what a digest looks like.
        let key = std::str::from_utf8(&bytes)
            .ok()
            .and_then(|text| text.trim_end().parse::<Digest>().ok());
        match key {
            Some(key) => Ok(Some(Key::new(key.as_bytes()))),
            None => Err(LedgerError::BadKey(path)),
        }
    }

    /// Whoever links a complete key first wins; everybody reads that one.
    pub(crate) fn load_or_create(places: &Places) -> Result<Key, LedgerError> {
        if let Some(key) = Key::load(places)? {
            return Ok(key);
        }
        let path = places.key();
        disk::make_dir(places.state(), STATE_MODE)?;
        let (mut secret, mut nonce) = ([0u8; 32], [0u8; 8]);
        getrandom::fill(&mut secret)
            .and_then(|()| getrandom::fill(&mut nonce))
            .map_err(io::Error::from)
            .attempt("draw", &path)?;
        let temporary = path.with_file_name(format!(".key.{:016x}.tmp", u64::from_le_bytes(nonce)));
        let create = || {
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&temporary)?;
            writeln!(file, "{}", Digest::from_bytes(secret))?;
            file.sync_all()?;
            match fs::hard_link(&temporary, &path) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => Err(e),
                Ok(()) | Err(_) => Ok(()),
            }
        };
        let created = create();
        disk::remove(&temporary)?;
        created.attempt("create", &path)?;
        disk::sync_parent(&path)?;
        Key::load(places)?.ok_or(LedgerError::BadKey(path))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::testing::project;

    #[test]
    fn creators_at_the_same_time_end_with_one_key() {
        let (_dir, places) = project();
        assert!(Key::load(&places).unwrap().is_none());
        let seals: Vec<Digest> = std::thread::scope(|scope| {
            let creators: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| Key::load_or_create(&places).unwrap().seal(&Digest::of(b"x"))))
                .collect();
            creators.into_iter().map(|c| c.join().unwrap()).collect()
        });
        assert!(seals.iter().all(|seal| *seal == seals[0]), "{seals:?}");
        let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(places.key()), mode(places.state().to_owned())), (0o600, 0o700));
        assert_eq!(
            disk::entries(places.state()).unwrap().len(),
            1,
            "no temporary file is left"
        );
    }

    #[test]
    fn a_seal_is_plain_hmac_sha256() {
        // python3: hmac.new(bytes(range(32)), hashlib.sha256(b"abc").digest(), "sha256").hexdigest()
        let seal = Key::new(&std::array::from_fn(|i| u8::try_from(i).unwrap())).seal(&Digest::of(b"abc"));
        assert_eq!(
            seal.to_string(),
            "910ec338f64892dfc0288e343162e996b71c39c67dd1cad13923f2d67a79cff6"
        );
    }

    #[test]
    fn a_key_that_is_no_key_is_refused() {
        let (_dir, places) = project();
        disk::make_dir(places.state(), STATE_MODE).unwrap();
        fs::write(places.key(), "secret\n").unwrap();
        assert!(matches!(Key::load_or_create(&places), Err(LedgerError::BadKey(_))));
    }
}
