//! Several searches at once: which query is answered when, and by which session.
//!
//! Analyses that need a search wait in one queue, from which the sessions take them: those of the highest priority
//! first, in the order of their arrival. An analysis goes, if it can, to the session that has searched an earlier
//! position of the same game. Analyses without a search have a queue and a thread of their own, so that they are
//! answered at once. All other queries are answered by the thread that submits them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

use crate::base::sync::{self, lock};
use crate::engine::session::StopFlag;
use crate::engine::session::thinking::internal_error;

use super::analyst::{Analyst, answer_without_session, cancelled, warnings};
use super::answer::{Answer, ErrorAnswer};
use super::query::{Action, AnalysisQuery, Query};
use super::settings::Settings;

/// The most positions of one client that wait. A query is accepted while there are fewer, however many it asks for.
pub const MAX_WAITING: usize = 4096;

/// Receives the answers to a client's queries, from several threads.
pub type Sink = Arc<dyn Fn(&Answer) + Send + Sync>;

/// What happens to a query of a client that has [`MAX_WAITING`] positions in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// Submitting a query waits.
    Wait,
    /// The query is rejected.
    Reject,
}

/// Answers the queries of any number of clients with a fixed number of sessions. Dropping it stops everything.
pub struct Scheduler {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared {
    settings: Settings,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Analyses that wait for a session, in the order in which they will get one.
    searches: BTreeMap<Rank, Job>,
    /// Analyses that need no search.
    others: BTreeMap<Rank, Job>,
    /// What each session that searches does.
    sessions: Vec<SessionState>,
    /// Those that sessions work on, by their numbers.
    running: BTreeMap<u64, Arc<Job>>,
    clients: BTreeMap<ClientId, ClientState>,
    next_job: u64,
    next_client: ClientId,
    is_closed: bool,
}

type ClientId = u64;

#[derive(Default)]
struct ClientState {
    /// The number of its jobs, waiting and running.
    jobs: usize,
    /// Whether it may submit no more.
    is_closed: bool,
}

/// The order of jobs: by priority, then by arrival.
type Rank = (Reverse<i64>, u64);

/// The analysis of one position.
struct Job {
    number: u64,
    client: ClientId,
    sink: Sink,
    task: Task,
    stop: StopFlag,
}

#[derive(Clone)]
struct Task {
    query: Arc<(String, AnalysisQuery)>,
    turn: usize,
}

/// A session that searches.
#[derive(Default)]
struct SessionState {
    /// Whether it waits for a job.
    is_idle: bool,
    /// The job that it is to take next.
    assigned: Option<Job>,
    /// What it has searched last.
    last: Option<Task>,
}

impl Task {
    fn id(&self) -> &str {
        &self.query.0
    }

    fn analysis(&self) -> &AnalysisQuery {
        &self.query.1
    }

    /// How much of this position's search tree the search of a later position can use: more if it is nearer. 0 if the
    /// other position does not follow in the same game.
    fn use_for(&self, later: &Task) -> usize {
        let (a, b) = (self.analysis(), later.analysis());
        let is_same_game = a.board == b.board && a.stones == b.stones && a.first == b.first;
        let is_same_search = a.options.session == b.options.session && a.options.search == b.options.search;
        let continues = b.moves[..later.turn].starts_with(&a.moves[..self.turn]);
        if is_same_game && is_same_search && continues { self.turn + 1 } else { 0 }
    }
}

impl Scheduler {
    /// Starts this many sessions that search, with these options, and one that answers what needs no search.
    ///
    /// # Panics
    /// If the system has no thread left.
    pub fn new(settings: Settings, searches: usize) -> Scheduler {
        let sessions = (0..searches).map(|_| SessionState::default()).collect();
        let state = Mutex::new(State { sessions, ..State::default() });
        let shared = Arc::new(Shared { settings, state, changed: Condvar::new() });
        let mut scheduler = Scheduler { shared, threads: Vec::new() };
        let lanes = (0..searches).map(Lane::Search).chain([Lane::Other]);
        for lane in lanes {
            let (shared, analyst) = (Arc::clone(&scheduler.shared), Analyst::new(scheduler.shared.settings.clone()));
            let thread = std::thread::Builder::new().name("analyst".into());
            let thread = thread.spawn(move || shared.work(lane, analyst)).expect("the system has a thread left");
            scheduler.threads.push(thread);
        }
        scheduler
    }

    /// A client whose answers go to `sink`. The sink is called from several threads, and should not wait for long.
    pub fn client(&self, sink: Sink, when_full: WhenFull) -> Client {
        let mut state = self.shared.lock();
        state.next_client += 1;
        let id = state.next_client;
        state.clients.insert(id, ClientState::default());
        Client { id, sink, when_full, shared: Arc::clone(&self.shared) }
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        state.running.values().for_each(|running| running.stop.stop());
        drop(state);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic was reported where it happened.
            let _ = thread.join();
        }
    }
}

/// One who asks queries and gets the answers. Dropping it ends its searches without further answers.
pub struct Client {
    id: ClientId,
    sink: Sink,
    when_full: WhenFull,
    shared: Arc<Shared>,
}

impl Client {
    /// Reads a query and answers it, now or later. Errors are answers, too, and so are panics. Returns false if it will
    /// not be answered because the client or the scheduler was closed.
    pub fn submit(&self, text: &str) -> bool {
        let mut id = None;
        let submit = || match Query::read(text, &self.shared.settings) {
            Ok(query) => {
                id = Some(query.id.clone());
                self.submit_query(query)
            }
            Err(error) => {
                self.reject(error);
                true
            }
        };
        catch_unwind(AssertUnwindSafe(submit)).unwrap_or_else(|panic| {
            self.reject(ErrorAnswer { id, ..ErrorAnswer::new(internal_error(&*panic)) });
            true
        })
    }

    /// Answers a text that is no query.
    pub fn reject(&self, error: ErrorAnswer) {
        (self.sink)(&Answer::Error(error));
    }

    fn submit_query(&self, query: Query) -> bool {
        warnings(&query).iter().for_each(|warning| (self.sink)(warning));
        match query.action {
            Action::Analyze(analysis) => return self.enqueue(query.id, *analysis),
            Action::Cancel(of) => {
                let stopped = self.cancel(of.as_deref());
                (self.sink)(&Answer::Cancelled { id: query.id, stopped });
            }
            action => (self.sink)(&answer_without_session(&query.id, &action, &self.shared.settings)),
        }
        true
    }

    fn enqueue(&self, id: String, analysis: AnalysisQuery) -> bool {
        let mut state = self.shared.lock();
        while state.clients[&self.id].jobs >= MAX_WAITING && !state.is_closed_for(self.id) {
            if self.when_full == WhenFull::Reject {
                drop(state);
                let message = format!("too many positions wait already (at most {MAX_WAITING})");
                self.reject(ErrorAnswer { id: Some(id), ..ErrorAnswer::new(message) });
                return true;
            }
            state = self.shared.wait(state);
        }
        if state.is_closed_for(self.id) {
            return false;
        }
        let query = Arc::new((id, analysis));
        for &turn in &query.1.turns {
            let (task, sink, stop) =
                (Task { query: Arc::clone(&query), turn }, Arc::clone(&self.sink), StopFlag::new());
            let number = state.next_job;
            state.next_job += 1;
            let queue = if query.1.needs_search() { &mut state.searches } else { &mut state.others };
            queue.insert((Reverse(query.1.priority), number), Job { number, client: self.id, sink, task, stop });
        }
        state.clients.get_mut(&self.id).expect("a client is known").jobs += query.1.turns.len();
        state.assign();
        drop(state);
        self.shared.changed.notify_all();
        true
    }

    /// Cancels the queries with this id, or all. Those that wait are answered now, those that run as soon as they have
    /// stopped. Returns the number of positions whose analysis ends early.
    pub fn cancel(&self, of: Option<&str>) -> usize {
        let concerns = |id: &str| of.is_none_or(|of| of == id);
        let mut state = self.shared.lock();
        let waiting = state.take_waiting(self.id, concerns);
        let mut stopped = waiting.len();
        for running in state.running.values().filter(|r| r.client == self.id && concerns(r.task.id())) {
            running.stop.stop();
            stopped += 1;
        }
        state.assign();
        drop(state);
        self.shared.changed.notify_all();
        for job in waiting {
            (self.sink)(&cancelled(job.task.id(), job.task.analysis(), job.task.turn));
            self.shared.finish(&job);
        }
        stopped
    }

    /// Takes no more analyses: [`Client::submit`] returns false for them. Cancels those that it has.
    pub fn close(&self) {
        self.shared.lock().clients.get_mut(&self.id).expect("a client is known").is_closed = true;
        self.cancel(None);
    }

    /// Waits until all queries are answered.
    pub fn wait_until_answered(&self) {
        let mut state = self.shared.lock();
        while state.clients[&self.id].jobs > 0 && !state.is_closed {
            state = self.shared.wait(state);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.take_waiting(self.id, |_| true);
        state.running.values().filter(|running| running.client == self.id).for_each(|running| running.stop.stop());
        state.clients.remove(&self.id);
        state.assign();
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl State {
    fn is_closed_for(&self, client: ClientId) -> bool {
        self.is_closed || self.clients[&client].is_closed
    }

    /// Removes the jobs of a client that wait, those whose queries have such an id.
    fn take_waiting(&mut self, client: ClientId, concerns: impl Fn(&str) -> bool) -> Vec<Job> {
        let is_meant = |job: &Job| job.client == client && concerns(job.task.id());
        let mut taken = Vec::new();
        for queue in [&mut self.searches, &mut self.others] {
            taken.extend(queue.extract_if(.., |_, job| is_meant(job)).map(|(_, job)| job));
        }
        for session in &mut self.sessions {
            if let Some(job) = session.assigned.take_if(|job| is_meant(job)) {
                session.is_idle = true;
                taken.push(job);
            }
        }
        taken
    }

    /// Gives jobs that wait to sessions that are idle.
    fn assign(&mut self) {
        while !self.searches.is_empty() {
            let idle = (0..self.sessions.len()).filter(|&i| self.sessions[i].is_idle);
            let task = &self.searches.first_key_value().expect("a job waits").1.task;
            let use_of_tree = |i: usize| self.sessions[i].last.as_ref().map_or(0, |last| last.use_for(task));
            // A session without a game leaves the others' trees alone.
            let Some(best) = idle.max_by_key(|&i| (use_of_tree(i), self.sessions[i].last.is_none())) else { break };
            let (_, job) = self.searches.pop_first().expect("a job waits");
            self.sessions[best].is_idle = false;
            self.sessions[best].assigned = Some(job);
        }
    }

    /// Takes the next job of a lane and notes that it runs.
    fn next(&mut self, lane: Lane) -> Option<Arc<Job>> {
        let job = match lane {
            Lane::Search(session) => self.sessions[session].assigned.take(),
            Lane::Other => self.others.pop_first().map(|(_, job)| job),
        }?;
        let job = Arc::new(job);
        self.running.insert(job.number, Arc::clone(&job));
        Some(job)
    }
}

/// What a thread works on.
#[derive(Clone, Copy)]
enum Lane {
    /// Searches, as the session with this index.
    Search(usize),
    /// All other analyses.
    Other,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        sync::wait(&self.changed, state)
    }

    fn work(&self, lane: Lane, mut analyst: Analyst) {
        while let Some(job) = self.take(lane) {
            let Task { query, turn } = &job.task;
            let analysis = AssertUnwindSafe(|| {
                analyst.analyze(&query.0, &query.1, *turn, &job.stop, &mut |answer| (job.sink)(answer));
            });
            if let Err(panic) = catch_unwind(analysis) {
                let (id, turn) = (Some(query.0.clone()), Some(*turn));
                (job.sink)(&Answer::Error(ErrorAnswer { id, turn, ..ErrorAnswer::new(internal_error(&*panic)) }));
                analyst = Analyst::new(self.settings.clone());
            }
            self.finish(&job);
        }
    }

    /// The next job of a lane, or `None` when the scheduler is closed.
    fn take(&self, lane: Lane) -> Option<Arc<Job>> {
        let mut state = self.lock();
        if let Lane::Search(session) = lane {
            state.sessions[session].is_idle = true;
            state.assign();
        }
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.next(lane) {
                if let Lane::Search(session) = lane {
                    state.sessions[session].last = Some(job.task.clone());
                }
                return Some(job);
            }
            state = self.wait(state);
        }
    }

    /// Notes that a job is answered.
    fn finish(&self, job: &Job) {
        let mut state = self.lock();
        state.running.remove(&job.number);
        if let Some(client) = state.clients.get_mut(&job.client) {
            client.jobs -= 1;
        }
        drop(state);
        self.changed.notify_all();
    }
}
