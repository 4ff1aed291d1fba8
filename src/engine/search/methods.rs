//! The search methods.

use super::method::SearchMethod;
use super::options::Method;
use super::puct::Puct;
use super::rave::Rave;

/// The implementation of a method. A new method needs a folder like `puct` and `rave`, a name in [`Method`], and an arm
/// here.
pub(crate) fn implementation(method: Method) -> &'static dyn SearchMethod {
    match method {
        Method::Puct => &Puct,
        Method::Rave => &Rave,
    }
}
