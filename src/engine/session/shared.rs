//! What a session shares with a search that runs beside its caller.

use std::sync::{Arc, Mutex, MutexGuard};

use crate::base::sync::{StopFlag, lock};
use crate::engine::search::Searcher;

use super::Analysis;

/// The searcher of a session, which a search beside the caller holds while it runs.
#[derive(Clone)]
pub(super) struct SharedSearcher {
    pub searcher: Arc<Mutex<Searcher>>,
    /// Stops the search that runs beside the caller, if one does.
    pub running: Arc<Mutex<Option<StopFlag>>>,
}

impl SharedSearcher {
    pub fn new(searcher: Searcher) -> SharedSearcher {
        SharedSearcher { searcher: Arc::new(Mutex::new(searcher)), running: Arc::default() }
    }

    /// The searcher. A search beside the caller that holds it is stopped first.
    pub fn lock(&self) -> MutexGuard<'_, Searcher> {
        self.stop_running();
        lock(&self.searcher)
    }

    pub fn stop_running(&self) {
        if let Some(running) = lock(&self.running).take() {
            running.stop();
        }
    }
}

/// The newest result of a game's searches, shared by its clones.
#[derive(Clone, Default)]
pub(super) struct Latest(Arc<Mutex<LatestState>>);

#[derive(Default)]
struct LatestState {
    analysis: Option<Arc<Analysis>>,
    is_outdated: bool,
}

impl Latest {
    pub fn get(&self) -> Option<Arc<Analysis>> {
        lock(&self.0).analysis.clone()
    }

    /// The result, unless options of the search have changed since it was found.
    pub fn current(&self) -> Option<Arc<Analysis>> {
        let state = lock(&self.0);
        state.analysis.clone().filter(|_| !state.is_outdated)
    }

    pub fn set(&self, analysis: Arc<Analysis>) {
        *lock(&self.0) = LatestState { analysis: Some(analysis), is_outdated: false };
    }

    /// Forgets the result.
    pub fn clear(&self) {
        *lock(&self.0) = LatestState::default();
    }

    /// Notes that another search of the same position would use other options.
    pub fn mark_outdated(&self) {
        lock(&self.0).is_outdated = true;
    }
}
