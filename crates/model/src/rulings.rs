//! Rulings of analyses, kept beside the models that they were made from.

use crate::modeller::Modeller;
use crate::unit::SystemFiles;

const KIND: &str = "ruling";

impl Modeller {
    /// What was kept under a key; what is damaged is not found.
    pub fn known_rulings(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.load(KIND, &self.ruling_key(key))
    }

    /// Keeps something in the place of what was there.
    pub fn keep_rulings(&self, key: &[u8; 32], value: &[u8]) {
        self.store(KIND, &self.ruling_key(key), &value);
    }

    /// Another build of the tool may judge otherwise, whatever number its analysis has.
    fn ruling_key(&self, key: &[u8; 32]) -> [u8; 32] {
        let tool = std::env::current_exe().map(|path| SystemFiles::file_identity(&path)).unwrap_or_default();
        self.key(KIND).with(&tool).with(key).finish()
    }
}
