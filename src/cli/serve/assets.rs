//! The files of the page, which are part of the program.

/// A file of the page.
pub struct Asset {
    /// Its path in the address, without the first `/`.
    pub path: &'static str,
    pub content: &'static [u8],
}

impl Asset {
    /// The type of the content, by the end of the path.
    pub fn media_type(&self) -> &'static str {
        match self.path.rsplit('.').next().unwrap_or_default() {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "json" | "webmanifest" => "application/json",
            "png" => "image/png",
            "svg" => "image/svg+xml",
            _ => "application/octet-stream",
        }
    }
}

macro_rules! assets {
    ($($path:literal)+) => {
        &[$(Asset { path: $path, content: include_bytes!(concat!("../../../web/page/", $path)) }),+]
    };
}

/// All files of the page but its tests and notes for developers.
const ASSETS: &[Asset] = assets! {
    "icon.svg"
    "index.html"
    "js/analysis-view.js"
    "js/analysis.js"
    "js/announcer.js"
    "js/app.js"
    "js/board-view.js"
    "js/clock.js"
    "js/dialogs.js"
    "js/dom.js"
    "js/emitter.js"
    "js/engine-client.js"
    "js/evaluation.js"
    "js/game.js"
    "js/geometry.js"
    "js/graph-view.js"
    "js/link.js"
    "js/main.js"
    "js/moves-view.js"
    "js/notes.js"
    "js/opponent.js"
    "js/player-bars.js"
    "js/positions.js"
    "js/records.js"
    "js/review-view.js"
    "js/review.js"
    "js/scene.js"
    "js/settings.js"
    "js/stones.js"
    "js/storage.js"
    "js/theme.js"
    "js/transports.js"
    "js/tree.js"
    "js/wording.js"
    "style/base.css"
    "style/board.css"
    "style/colors.css"
    "style/dialogs.css"
    "style/layout.css"
    "style/panel.css"
};

/// The file for a path of an address, which begins with `/`.
pub fn find(path: &str) -> Option<&'static Asset> {
    let path = path.strip_prefix('/')?;
    let path = if path.is_empty() { "index.html" } else { path };
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// The files below a folder by their paths, without those for developers.
    fn files(folder: &Path, prefix: &str) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true if name == "tests" => {}
                true => files.extend(self::files(&entry.path(), &format!("{name}/"))),
                false if name.ends_with(".md") || name == "package.json" => {}
                false => _ = files.insert(name),
            }
        }
        files
    }

    #[test]
    fn all_files_of_the_page_are_served() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/page");
        let listed = ASSETS.iter().map(|asset| asset.path.to_owned()).collect();
        assert_eq!(files(&page, ""), listed);
    }

    #[test]
    fn every_file_has_a_type_and_the_root_is_the_page() {
        assert!(ASSETS.iter().all(|asset| asset.media_type() != "application/octet-stream"));
        assert_eq!(find("/").unwrap().path, "index.html");
        assert!(find("/nothing").is_none() && find("index.html").is_none() && find("/../Cargo.toml").is_none());
    }
}
