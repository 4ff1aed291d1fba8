//! The search methods.

use super::options::Method;
use super::puct::Puct;
use super::rave::Rave;
use super::tree_search::{MethodSearch, TreeSearch};

/// Searches by a method, without a tree yet. A new method needs a folder like `puct` and `rave`, a name in [`Method`],
/// and an arm here.
pub(crate) fn searches(method: Method) -> Box<dyn MethodSearch> {
    match method {
        Method::Puct => Box::new(TreeSearch::<Puct>::default()),
        Method::Rave => Box::new(TreeSearch::<Rave>::default()),
    }
}
