//! Writing files.

use std::fs;
use std::io;
use std::path::Path;

/// Replaces the content of a file in one step, or creates the file: whoever reads it sees the old content or the new,
/// even if the program is killed meanwhile. The new content is first written to a file of the same name with `.new`
/// added.
///
/// # Errors
/// If a file cannot be written; the file then has its old content.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    fs::write(&new, content)?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_new_content_takes_the_place_of_the_old() {
        let directory = std::env::temp_dir().join(format!("malecon-replace-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("table.txt");
        for content in ["old", "newer"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        // A directory cannot be replaced by a file.
        assert!(replace(&directory, b"text").is_err());
        let names: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["table.txt"]);
        fs::remove_dir_all(&directory).unwrap();
        let _ = fs::remove_file(directory.with_extension("new"));
    }
}
