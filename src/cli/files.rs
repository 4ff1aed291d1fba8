//! The files that a command reads, and those that it writes.

use std::path::{Path, PathBuf};

use super::failure::Failure;

/// Checks that no file is both read and written, or written twice. This does not apply to devices and pipes.
///
/// # Errors
/// A [`Failure::Usage`] that names the file.
pub fn check_apart<'a>(
    read: impl IntoIterator<Item = &'a PathBuf>,
    written: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<(), Failure> {
    let mut taken: Vec<(PathBuf, &str)> =
        read.into_iter().filter_map(|path| Some((place(path)?, "is read by this command"))).collect();
    for path in written {
        let Some(place) = place(path) else { continue };
        if let Some((_, how)) = taken.iter().find(|(other, _)| is_same(other, &place)) {
            return Err(Failure::Usage(format!("{} {how}: write to another file", path.display())));
        }
        taken.push((place, "is written twice"));
    }
    Ok(())
}

/// Where a file is, whether or not it exists yet; `None` for what is not a regular file.
fn place(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return found.is_file().then_some(found);
    }
    let absolute = std::path::absolute(path).ok()?;
    let parent = absolute.parent().and_then(|parent| parent.canonicalize().ok());
    Some(parent.map_or_else(|| absolute.clone(), |parent| parent.join(absolute.file_name().unwrap_or_default())))
}

/// Whether two paths lead to the same regular file.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    place(a).zip(place(b)).is_some_and(|(a, b)| is_same(&a, &b))
}

/// Whether two places are the same file, perhaps under two names.
fn is_same(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| path.metadata().ok().map(|data| (data.dev(), data.ino()));
        if identity(a).is_some_and(|a| identity(b) == Some(a)) {
            return true;
        }
    }
    a == b
}
