//! Reading and writing files.
//!
//! A file that another program names, or that lies in a folder, may be anything: a pipe that blocks until there is a
//! writer, a device that never ends, or a file larger than memory. [`read`] and [`open`] take only regular files. What
//! a person names on the command line may also be a pipe, as in `<(curl ...)`; this is for [`read_stream`]. No file is
//! read beyond a limit.

use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use super::error::message_error;
use super::memory;

message_error! {
    /// Why a file cannot be used: one line that begins with its name.
    pub struct FileError;
}

/// The largest file of records or scripts that is read, in bytes.
pub const MAX_RECORDS: u64 = 64 << 20;

/// The largest text file that is read, in bytes. Files of games with the figures of all their moves are large.
pub const MAX_TEXT: u64 = 4 << 30;

/// Prefixes an error with the name of its file. For `map_err`.
pub fn in_file<E: Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Checks that a path does not lead to a pipe or a device. There need not be anything at the path.
///
/// # Errors
/// If it does, or leads to a directory.
pub fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        _ => Ok(()),
    }
}

/// A file to write to. Until it is dropped, there is no other `LockedFile` of it, in any process. Windows does not lock
/// files that are opened only for appending.
#[derive(Debug)]
pub struct LockedFile(File);

impl LockedFile {
    /// Locks a file. Several programs may write to a terminal or another device; and where files cannot be locked, this
    /// does nothing.
    ///
    /// # Errors
    /// If the file is locked already.
    pub fn new(file: File) -> io::Result<LockedFile> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if file.metadata()?.is_file() => {
                Err(io::Error::other("another process is writing to this file"))
            }
            _ => Ok(LockedFile(file)),
        }
    }
}

impl Drop for LockedFile {
    /// Unlocks the file. Closing it is not enough: a process that another thread has just begun to start has it open,
    /// too, for a moment.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Write for LockedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Cuts off a file that is open for appending, at this length.
///
/// # Errors
/// If it cannot be written.
pub fn cut_off(file: &File, path: &Path, length: u64) -> io::Result<()> {
    // On Windows, such a file cannot cut itself off.
    if cfg!(windows) { File::options().write(true).open(path)?.set_len(length) } else { file.set_len(length) }
}

/// A file that is read in small pieces, as long as `proceed` says before each that the work goes on.
#[derive(Debug)]
pub struct Interruptible<R, F> {
    /// What is read.
    pub file: R,
    /// Whether the work goes on. If not, reading fails.
    pub proceed: F,
}

/// Bytes that are read between two questions whether the work goes on. In a proof, each is a move.
const PIECE: usize = 256;

impl<R: Read, F: FnMut() -> bool> Read for Interruptible<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !(self.proceed)() {
            return Err(io::Error::other("the work was stopped"));
        }
        let len = buffer.len().min(PIECE);
        self.file.read(&mut buffer[..len])
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// If there is none, or it cannot be read.
pub fn open(path: &Path) -> io::Result<File> {
    // Before it is opened: for a pipe, that would wait for a writer.
    check_regular(path)?;
    File::open(path)
}

/// The content of a regular file.
///
/// # Errors
/// If there is none, it is longer than `longest` bytes or does not fit into memory, or it cannot be read.
pub fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    read_file(open(path)?, longest)
}

/// Like [`read`], but a pipe or a device is read as well, up to its end.
///
/// # Errors
/// As for [`read`].
pub fn read_stream(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    read_file(File::open(path)?, longest)
}

fn read_file(file: File, longest: u64) -> io::Result<Vec<u8>> {
    // A sparse file may be far longer than the disk.
    if file.metadata()?.len() > longest { Err(too_large(longest)) } else { read_to_end(file, longest) }
}

/// Reads a source to its end.
///
/// # Errors
/// If this is longer than `longest` bytes or does not fit into memory, or cannot be read.
pub fn read_to_end(source: impl Read, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte beyond the limit shows that there is more. Running out of memory is an error here, not the end of the
    // program.
    memory::allow_refusal(|| source.take(longest + 1).read_to_end(&mut bytes))?;
    if bytes.len() as u64 > longest { Err(too_large(longest)) } else { Ok(bytes) }
}

fn too_large(longest: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MB", longest >> 20))
}

/// Replaces the content of a file in one step, or creates the file. See [`Replacement`].
///
/// # Errors
/// If a file cannot be written; the file then has its old content.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut replacement = Replacement::new(path)?;
    replacement.write_all(content)?;
    replacement.finish()
}

/// New content of a file. Readers see the old content until [`Replacement::finish`] and then the new content, even if
/// the program is killed or the power fails in between. Until then, the new content is in a file of the same name with
/// `.new` added, which is removed if the replacement is dropped. A file can have only one replacement at a time.
///
/// A symbolic link stays, and the file that it points to is replaced. A device or a pipe is written to directly.
#[derive(Debug)]
#[must_use = "without `finish`, the file keeps its old content"]
pub struct Replacement {
    file: File,
    /// The file of the new content, and the file that it replaces; `None` for a device or a pipe.
    paths: Option<[PathBuf; 2]>,
}

impl Replacement {
    /// Begins new content for the file at `path`, which need not exist.
    ///
    /// # Errors
    /// If `path` is a directory or a file that may not be written, the new file cannot be created, or another program
    /// is writing it.
    pub fn new(path: &Path) -> io::Result<Replacement> {
        let target = match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if !found.is_file() => {
                return Ok(Replacement { file: File::options().write(true).open(path)?, paths: None });
            }
            Ok(_) => {
                // A file that may not be written must not be replaced either.
                File::options().write(true).open(path)?;
                fs::canonicalize(path)?
            }
            // Nothing, or a link to nothing.
            Err(_) => fs::read_link(path).map_or_else(|_| path.to_owned(), |to| path.with_file_name("").join(to)),
        };
        let new = target.with_added_extension("new");
        let file = claim(&new)?;
        // From here on, the new file is removed if something fails.
        let replacement = Replacement { file, paths: Some([new, target]) };
        replacement.file.set_len(0)?;
        Ok(replacement)
    }

    /// Replaces the old content by the new, once that is on the disk. The file keeps its permissions.
    ///
    /// # Errors
    /// If that fails; the file then has its old content.
    pub fn finish(mut self) -> io::Result<()> {
        let Some([new, target]) = &self.paths else { return Ok(()) };
        if let Ok(old) = fs::metadata(target) {
            self.file.set_permissions(old.permissions())?;
        }
        self.file.sync_all()?;
        fs::rename(new, target)?;
        // Until the directory is on the disk, a power failure may bring back the old content, as a whole.
        let directory = target.parent().filter(|directory| !directory.as_os_str().is_empty());
        let _ = File::open(directory.unwrap_or(Path::new("."))).and_then(|directory| directory.sync_all());
        self.paths = None;
        Ok(())
    }
}

/// Opens the file for new content. A program that was killed may have left one behind.
fn claim(path: &Path) -> io::Result<File> {
    for _ in 0..100 {
        // A link that somebody put there would lead elsewhere.
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            fs::remove_file(path)?;
        }
        let file = File::options().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => break,
            // Not every file system has locks.
            Err(TryLockError::Error(_)) => return Ok(file),
            Ok(()) => {}
        }
        // Another program may just have renamed it to replace the old file.
        if is_at(&file, path) {
            return Ok(file);
        }
    }
    Err(io::Error::new(io::ErrorKind::ResourceBusy, format!("another program is writing {}", path.display())))
}

/// Whether an open file is the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let [open, found] =
        [file.metadata(), fs::symlink_metadata(path)].map(|data| data.map(|data| (data.dev(), data.ino())));
    open.is_ok_and(|open| found.is_ok_and(|found| open == found))
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

impl Write for Replacement {
    fn write(&mut self, content: &[u8]) -> io::Result<usize> {
        self.file.write(content)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some([new, _]) = &self.paths {
            let _ = fs::remove_file(new);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An empty directory, which is removed at the end.
    pub struct Scratch(pub PathBuf);

    impl Scratch {
        pub fn new(name: &str) -> Scratch {
            let directory = std::env::temp_dir().join(format!("malecon-{name}-{}", std::process::id()));
            fs::create_dir_all(&directory).unwrap();
            Scratch(directory)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_new_content_takes_the_place_of_the_old() {
        let directory = Scratch::new("replace");
        let path = directory.0.join("table.txt");
        for content in ["old", "newer"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(directory.names(), ["table.txt"]);
    }

    #[test]
    fn a_file_has_one_writer_until_it_is_dropped() {
        let directory = Scratch::new("locked");
        let path = directory.0.join("lines");
        let open = || LockedFile::new(File::options().read(true).create(true).append(true).open(&path).unwrap());
        let first = open().unwrap();
        // As in a process that another thread starts.
        let copy = first.try_clone().unwrap();
        assert_eq!(open().unwrap_err().to_string(), "another process is writing to this file");
        drop(first);
        assert!(open().is_ok());
        drop(copy);
    }

    #[test]
    fn without_the_whole_content_nothing_changes() {
        let directory = Scratch::new("unfinished");
        let path = directory.0.join("table.txt");
        fs::write(&path, "old").unwrap();
        let mut unfinished = Replacement::new(&path).unwrap();
        unfinished.write_all(b"ne").unwrap();
        assert_eq!(directory.names(), ["table.txt", "table.txt.new"]);
        drop(unfinished);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert!(replace(&directory.0, b"text").is_err(), "a directory");
        assert!(replace(&directory.0.join("none/table.txt"), b"text").is_err());
        assert_eq!(directory.names(), ["table.txt"]);
    }

    /// The file has the whole content of one of two writers at all times. One of them may be refused.
    #[test]
    fn two_writers_do_not_mix() {
        let directory = Scratch::new("two-writers");
        let path = directory.0.join("table.txt");
        replace(&path, b"old").unwrap();
        let first = Replacement::new(&path).unwrap();
        let error = Replacement::new(&path).unwrap_err().to_string();
        assert!(error.contains("another program is writing"), "{error}");
        drop(first);
        let contents = [[b'a'; 1000], [b'b'; 1000]];
        let written: usize = std::thread::scope(|scope| {
            let path = &path;
            let writers = contents.each_ref().map(|content| {
                scope.spawn(move || {
                    (0..50)
                        .filter(|_| {
                            let is_written = replace(path, content).is_ok();
                            let found = fs::read(path).unwrap();
                            assert!(found == b"old" || contents.iter().any(|content| found == content));
                            is_written
                        })
                        .count()
                })
            });
            writers.map(|writer| writer.join().unwrap()).iter().sum()
        });
        assert!(written > 0 && fs::read(&path).unwrap() != b"old");
        assert_eq!(directory.names(), ["table.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_are_kept() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        let directory = Scratch::new("links");
        let [path, link] = ["table.txt", "link"].map(|name| directory.0.join(name));
        fs::write(&path, "old").unwrap();
        symlink("table.txt", &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::remove_file(&path).unwrap();
        // A link to nothing, and one that would lead the new content elsewhere.
        let other = directory.0.join("other");
        fs::write(&other, "other").unwrap();
        symlink("other", directory.0.join("table.txt.new")).unwrap();
        replace(&link, b"again").unwrap();
        assert_eq!([&path, &other].map(|path| fs::read_to_string(path).unwrap()), ["again", "other"]);
        assert!(
            fs::symlink_metadata(&link).unwrap().is_symlink() && !fs::symlink_metadata(&path).unwrap().is_symlink()
        );
        fs::remove_file(&other).unwrap();
        // A link to the device, so that a mistake would destroy only the link.
        let device = directory.0.join("device");
        symlink("/dev/null", &device).unwrap();
        replace(&device, b"text").unwrap();
        assert!(fs::metadata(&device).unwrap().file_type().is_char_device());
        assert_eq!(directory.names(), ["device", "link", "table.txt"]);
    }
}
