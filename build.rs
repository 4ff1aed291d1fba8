//! Lists the files of the page for `malecon serve`, so that they become part of the program.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What the page's folder holds for developers. `web/build` leaves out the same.
const NOT_SERVED: [&str; 2] = ["README.md", "tests"];

/// The proof that the page walks through, in the folder of proofs.
const PROOF: &str = "side-4-a1.proof";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_SERVE").is_none() {
        return Ok(());
    }
    println!("cargo::rerun-if-changed=web/page");
    let folder = |name| env::var_os(name).map(PathBuf::from).expect("cargo names the folders");
    let mut files = Vec::new();
    collect(&folder("CARGO_MANIFEST_DIR").join("web/page"), "", &mut files)?;
    // Relative to the checkout, which may move together with what was built in it.
    let mut files: Vec<_> = files.into_iter().map(|path| (format!("/web/page/{path}"), path)).collect();
    files.push((format!("/docs/proofs/{PROOF}"), PROOF.to_owned()));
    files.sort();
    let mut list = String::from("&[\n");
    for (file, path) in files {
        let content = format!("include_bytes!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {file:?}))");
        list += &format!("    Asset {{ path: {path:?}, content: {content} }},\n");
    }
    fs::write(folder("OUT_DIR").join("page.rs"), list + "]\n")
}

/// Adds the files below a folder, each with its path in URLs.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().expect("the page's files have plain names");
        if (prefix.is_empty() && NOT_SERVED.contains(&name.as_str())) || name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        match entry.file_type()?.is_dir() {
            true => collect(&entry.path(), &format!("{path}/"), files)?,
            false => files.push(path),
        }
    }
    Ok(())
}
