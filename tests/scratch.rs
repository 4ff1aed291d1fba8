//! The files and folders of tests.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A path of its own, at which there is nothing yet. The file or folder that a test puts there is deleted in the end.
pub struct Scratch(PathBuf);

impl Scratch {
    /// The path ends in this name. Other tests may use the same name.
    pub fn new(name: &str) -> Scratch {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}-{name}", std::process::id()));
        // A test that was killed may have left something there.
        delete(&path);
        Scratch(path)
    }

    /// An empty folder.
    pub fn folder(name: &str) -> Scratch {
        let folder = Scratch::new(name);
        std::fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    /// A file with this content.
    pub fn file(name: &str, content: impl AsRef<[u8]>) -> Scratch {
        let file = Scratch::new(name);
        std::fs::write(&file.0, content).unwrap();
        file
    }

    /// The path.
    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The path of a file in the folder.
    pub fn within(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file in the folder, and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.within(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        delete(&self.0);
    }
}

/// Deletes a file, or a folder with all that is in it, if there is one.
fn delete(path: &Path) {
    if std::fs::remove_file(path).is_err() {
        let _ = std::fs::remove_dir_all(path);
    }
}
