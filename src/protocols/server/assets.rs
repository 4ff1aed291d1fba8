//! The files of the page, which are compiled into the program.

/// A file of the page.
#[derive(Debug)]
pub struct Asset {
    /// Its path in URLs, without the first `/`.
    pub path: &'static str,
    pub content: &'static [u8],
}

impl Asset {
    /// The media type, by the extension of the path.
    pub fn media_type(&self) -> &'static str {
        match self.path.rsplit('.').next().unwrap_or_default() {
            "html" => "text/html; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            "json" | "webmanifest" => "application/json",
            "jsonl" => "application/x-ndjson",
            "png" => "image/png",
            "svg" => "image/svg+xml",
            "proof" => "application/vnd.malecon.proof",
            _ => "application/octet-stream",
        }
    }
}

/// All files of the page, listed by build.rs.
const ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The file for the path of a URL, which begins with `/`.
pub fn find(path: &str) -> Option<&'static Asset> {
    let path = path.strip_prefix('/')?;
    let path = if path.is_empty() { "index.html" } else { path };
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_type() {
        let unknown = ASSETS.iter().filter(|asset| asset.media_type() == "application/octet-stream");
        assert_eq!(unknown.map(|asset| asset.path).collect::<Vec<_>>(), Vec::<&str>::new());
    }

    #[test]
    fn the_root_is_the_page_and_what_is_for_developers_is_not_served() {
        assert_eq!(find("/").unwrap().path, "index.html");
        assert!(find("/js/main.js").is_some() && find("/icon.svg").is_some());
        assert!(["/README.md", "/tests", "/nothing", "index.html"].iter().all(|path| find(path).is_none()));
        assert!(ASSETS.iter().all(|asset| !asset.path.starts_with("tests/")));
    }

    /// All files that index.html refers to exist.
    #[test]
    fn the_links_of_the_page_lead_to_files() {
        let page = std::str::from_utf8(find("/").unwrap().content).unwrap();
        let mut links = 0;
        for attribute in ["src=\"", "href=\""] {
            for link in page.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap()) {
                if !link.starts_with('#') && !link.contains(':') {
                    assert!(find(&format!("/{link}")).is_some(), "{link}");
                    links += 1;
                }
            }
        }
        assert!(links > 3);
    }
}
