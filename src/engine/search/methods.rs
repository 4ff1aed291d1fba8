//! The search methods.

use super::method::SearchMethod;
use super::options::Method;
use super::puct::Puct;
use super::rave::Rave;

/// What realises a method. A new method is a folder like those of the two, its name in [`Method`], and an arm here.
pub(crate) fn implementation(method: Method) -> &'static dyn SearchMethod {
    match method {
        Method::Puct => &Puct,
        Method::Rave => &Rave,
    }
}
