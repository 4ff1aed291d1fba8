//! Several searches at once: which query is answered when, and by which session.
//!
//! Each client has a queue of its own for each [`Effort`]: queries of the highest priority come first, in order of
//! arrival. Among clients, the next turn goes to the one with the fewest running searches, and among these to the one
//! that has waited longest. For several clients there is one session more than searches: it serves a client without a
//! running search while the other clients occupy all the others, so that it need not wait for one to end.
//!
//! If possible, a search goes to the session that has searched an earlier position of the same game. Analyses without a
//! search have threads of their own, one for each effort: what is known at once is answered at once, whatever else
//! runs, and checking a proof delays only other proofs. All other queries are answered by the thread that submits them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak, mpsc};
use std::thread::JoinHandle;

use crate::base::memory::can_allocate;
use crate::base::sync::{self, lock, start_thread};
use crate::engine::session::StopFlag;
use crate::engine::session::failure::internal_error;

use super::analyst::{Analyst, answer_without_session, cancelled, warnings};
use super::answer::{Answer, ErrorAnswer};
use super::query::{Action, Effort, Query, Task};
use super::settings::QuerySettings;

/// How many bytes the unanswered queries of one client may take. A client without any may submit one of any size, up to
/// the longest message.
pub const CLIENT_SHARE: usize = 16 << 20;

/// What a query takes in addition to its text, in bytes: its options and its place in the queue.
const QUERY_MEMORY: usize = 1 << 10;

/// What each position of a query takes, in bytes.
const PART_MEMORY: usize = 256;

/// An upper bound on the memory in bytes that the smallest search takes. A session starts only if this much is free for
/// each.
const SESSION_MEMORY: usize = 1 << 24;

/// The fewest megabytes for the tree of each search, where memory is scarce.
const LEAST_TREE: usize = 8;

/// Receives the answers to a client's queries, from several threads.
pub trait Sink: Send + Sync {
    /// Takes an answer. Should not wait for long.
    fn send(&self, answer: &Answer);

    /// Whether too many answers are unread. While this is true, none of the client's queries begins; call
    /// [`Client::resume`] once it no longer is.
    fn is_full(&self) -> bool {
        false
    }
}

impl<F: Fn(&Answer) + Send + Sync> Sink for F {
    fn send(&self, answer: &Answer) {
        self(answer);
    }
}

/// What happens to a query that does not fit into its client's [`CLIENT_SHARE`].
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
    settings: QuerySettings,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What each searching session is doing.
    sessions: Vec<SessionState>,
    /// While this many searches run, only a client without one may begin another.
    searches: usize,
    /// The jobs that threads work on, by their numbers.
    running: BTreeMap<u64, Arc<Job>>,
    clients: BTreeMap<ClientId, ClientState>,
    /// The number of jobs that have left their queues.
    begun: u64,
    next_job: u64,
    next_client: ClientId,
    is_closed: bool,
    /// The files of the proofs that queries are about. Each is kept once.
    proofs: Vec<Weak<[u8]>>,
}

type ClientId = u64;

struct ClientState {
    sink: Arc<dyn Sink>,
    /// Its jobs that wait, by their [`Effort`].
    queues: [Queue; Effort::ALL.len()],
    /// The number of its jobs, waiting and running.
    jobs: usize,
    /// What these jobs take, in bytes.
    bytes: usize,
    /// Whether it may submit no more.
    is_closed: bool,
}

/// The jobs of one client and effort that wait, in the order in which they begin.
#[derive(Default)]
struct Queue {
    jobs: BTreeMap<Rank, Job>,
    /// How many jobs, of all clients, had begun when a job of this queue last did.
    last_begun: u64,
}

/// The order of jobs: by priority, then by arrival.
type Rank = (Reverse<i64>, u64);

/// One answer to give.
struct Job {
    number: u64,
    client: ClientId,
    sink: Arc<dyn Sink>,
    part: Part,
    /// What it takes while it waits or runs.
    bytes: usize,
    stop: StopFlag,
}

/// The part of a task that one answer is about.
#[derive(Clone)]
struct Part {
    /// The id of the query, and the task.
    query: Arc<(String, Task)>,
    turn: usize,
}

/// A session that searches.
#[derive(Default)]
struct SessionState {
    /// The client that it works for; `None` while it waits for a job.
    client: Option<ClientId>,
    /// The job that it is to take next.
    assigned: Option<Job>,
    /// What its search tree is about.
    last: Option<Part>,
    /// The value of [`State::begun`] when its last job began.
    used: u64,
}

impl Part {
    fn id(&self) -> &str {
        &self.query.0
    }

    fn task(&self) -> &Task {
        &self.query.1
    }

    /// How useful this position's search tree is for a search of a later position: the nearer they are, the more. 0 if
    /// the later position does not follow in the same game.
    fn use_for(&self, later: &Part) -> usize {
        let (Task::Analysis(a), Task::Analysis(b)) = (self.task(), later.task()) else { return 0 };
        let (from, to) = (&a.search.options, &b.search.options);
        let is_same_search = from.session == to.session && from.search == to.search;
        if is_same_search && a.line.leads_to(self.turn, &b.line, later.turn) { self.turn + 1 } else { 0 }
    }
}

impl fmt::Debug for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scheduler").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}

impl Scheduler {
    /// For one client: this many positions are searched at a time, each by a session with these options. Three
    /// more sessions answer what needs no search. If the system does not have the memory or the threads, fewer search, and a
    /// warning is logged.
    ///
    /// # Errors
    /// If not even one session can search.
    pub fn new(settings: QuerySettings, searches: usize) -> io::Result<Scheduler> {
        Scheduler::start_all(settings, searches, 0)
    }

    /// Like [`Scheduler::new`], but for several clients: one more position is searched if its client would otherwise wait
    /// for others.
    ///
    /// # Errors
    /// If not even one session can search.
    pub fn for_clients(settings: QuerySettings, searches: usize) -> io::Result<Scheduler> {
        Scheduler::start_all(settings, searches, 1)
    }

    /// Starts sessions for this many searches, and `more` for clients that would have to wait.
    fn start_all(mut settings: QuerySettings, searches: usize, more: usize) -> io::Result<Scheduler> {
        let sessions = searches + more;
        let memory = &mut settings.options.search.memory;
        *memory = fitting_memory(*memory, sessions);
        let shared = Arc::new(Shared { settings, state: Mutex::default(), changed: Condvar::new() });
        let mut scheduler = Scheduler { shared, threads: Vec::new() };
        for effort in [Effort::Immediate, Effort::Brief, Effort::Proof] {
            scheduler.start(Lane::Other(effort))?;
        }
        scheduler.start_session(0)?;
        // All of them may search at the same time.
        let mut started = 1..sessions;
        let missing = started.find(|&i| !can_allocate((i + 1) * SESSION_MEMORY) || scheduler.start_session(i).is_err());
        if let Some(count) = missing {
            let count = count.saturating_sub(more).max(1);
            match count < searches {
                true => log::warn!("not enough memory or threads: {count} searches at a time instead of {searches}"),
                false => log::warn!("not enough memory or threads: no search is spare for a page without one"),
            }
        }
        scheduler.shared.lock().searches = (missing.unwrap_or(sessions) - more).max(1);
        Ok(scheduler)
    }

    /// Starts the session with this index.
    fn start_session(&mut self, session: usize) -> io::Result<()> {
        self.start(Lane::Search(session))?;
        self.shared.lock().sessions.push(SessionState::default());
        Ok(())
    }

    /// Starts the thread of a lane.
    fn start(&mut self, lane: Lane) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let (ready, is_ready) = mpsc::channel::<()>();
        let work = move || {
            let analyst = Analyst::new(shared.settings.clone());
            drop(ready);
            shared.work(lane, analyst);
        };
        self.threads.push(start_thread("analyst", work)?);
        // No other thread may start until this one has what it needs. Nothing is sent: the channel just closes.
        let _ = is_ready.recv();
        Ok(())
    }

    /// A client whose answers go to `sink`. The sink is called from several threads, and should not wait for long.
    pub fn client(&self, sink: Arc<dyn Sink>, when_full: WhenFull) -> Client {
        let mut state = self.shared.lock();
        state.next_client += 1;
        let id = state.next_client;
        let client =
            ClientState { sink: Arc::clone(&sink), queues: Default::default(), jobs: 0, bytes: 0, is_closed: false };
        state.clients.insert(id, client);
        Client { id, sink, when_full, shared: Arc::clone(&self.shared) }
    }
}

/// How many megabytes each tree may take if this many searches run at the same time: as many as wanted, or fewer if
/// there is not enough free memory. Otherwise, the first search would take the memory of the others.
fn fitting_memory(wanted: usize, searches: usize) -> usize {
    let mut fitting = wanted;
    while fitting > LEAST_TREE && !can_allocate((fitting << 20).saturating_mul(searches)) {
        fitting = (fitting / 2).max(LEAST_TREE);
    }
    if fitting < wanted {
        log::warn!("not enough memory: {fitting} MB for the tree of each search instead of {wanted} MB");
    }
    fitting
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

/// A client: submits queries, receives answers. Dropping it ends its searches without further answers.
#[must_use = "its searches end when it is dropped"]
pub struct Client {
    id: ClientId,
    sink: Arc<dyn Sink>,
    when_full: WhenFull,
    shared: Arc<Shared>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("id", &self.id).field("when_full", &self.when_full).finish_non_exhaustive()
    }
}

impl Client {
    /// Reads a query and answers it, now or later. Errors are answers, too, and so are panics. Returns false if it will
    /// not be answered because the client or the scheduler was closed.
    pub fn submit(&self, text: &str) -> bool {
        self.submit_line(text, 1)
    }

    /// Like [`Client::submit`], for a line of the input with this number, which errors of syntax then name.
    pub fn submit_line(&self, text: &str, line: usize) -> bool {
        let mut id = None;
        let submit = || match Query::read(text, &self.shared.settings) {
            Ok(query) => {
                id = Some(query.id.clone());
                self.submit_query(query, text.len())
            }
            Err(mut error) => {
                error.error = error.error.replacen(" at line 1 column ", &format!(" at line {line} column "), 1);
                self.reject(error);
                true
            }
        };
        catch_unwind(AssertUnwindSafe(submit)).unwrap_or_else(|panic| {
            self.reject(ErrorAnswer { id, ..ErrorAnswer::new(internal_error(&*panic)) });
            true
        })
    }

    /// Answers a text that is not a query.
    pub fn reject(&self, error: ErrorAnswer) {
        self.sink.send(&Answer::Error(error));
    }

    fn submit_query(&self, query: Query, length: usize) -> bool {
        warnings(&query).iter().for_each(|warning| self.sink.send(warning));
        match query.action {
            Action::Task { priority, task } => return self.enqueue(query.id, priority, task, length),
            Action::Cancel(of) => {
                let stopped = self.cancel(of.as_deref());
                self.sink.send(&Answer::Cancellation { id: query.id, stopped });
            }
            action => self.sink.send(&answer_without_session(&query.id, &action, &self.shared.settings)),
        }
        true
    }

    /// Queues a task that was read from a text of this length.
    fn enqueue(&self, id: String, priority: i64, mut task: Task, mut length: usize) -> bool {
        let mut state = self.shared.lock();
        if let Task::Proof(proof) = &mut task
            && let Some(known) = state.known_proof(&proof.file)
        {
            // In base64, 3 bytes are 4 letters.
            length = length.saturating_sub(known.len() / 3 * 4);
            proof.file = known;
        }
        let parts = task.turns().len();
        let bytes = QUERY_MEMORY + length + parts * PART_MEMORY;
        while state.is_full_for(self.id, bytes) && !state.is_closed_for(self.id) {
            if self.when_full == WhenFull::Reject {
                drop(state);
                let message = format!("too many queries wait already (at most {} MiB)", CLIENT_SHARE >> 20);
                self.reject(ErrorAnswer { id: Some(id), ..ErrorAnswer::new(message) });
                return true;
            }
            state = self.shared.wait(state);
        }
        if state.is_closed_for(self.id) {
            return false;
        }
        let query = Arc::new((id, task));
        let effort = query.1.effort() as usize;
        for &turn in query.1.turns() {
            let number = state.next_job;
            state.next_job += 1;
            let part = Part { query: Arc::clone(&query), turn };
            let bytes = bytes / parts;
            let sink = Arc::clone(&self.sink);
            let job = Job { number, client: self.id, sink, part, bytes, stop: StopFlag::new() };
            let client = state.clients.get_mut(&self.id).expect("a client is known");
            client.queues[effort].jobs.insert((Reverse(priority), number), job);
            client.jobs += 1;
            client.bytes += bytes;
        }
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
        for running in state.running.values().filter(|r| r.client == self.id && concerns(r.part.id())) {
            running.stop.stop();
            stopped += 1;
        }
        state.assign();
        drop(state);
        self.shared.changed.notify_all();
        for job in waiting {
            self.sink.send(&cancelled(job.part.id(), job.part.task(), job.part.turn));
            self.shared.lock().finish(&job);
            self.shared.changed.notify_all();
        }
        stopped
    }

    /// Resumes the client's queries after its sink was full.
    pub fn resume(&self) {
        self.shared.lock().assign();
        self.shared.changed.notify_all();
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

    /// Whether a client has no room for a query that takes `bytes` bytes.
    fn is_full_for(&self, client: ClientId, bytes: usize) -> bool {
        let taken = self.clients[&client].bytes;
        taken > 0 && taken + bytes > CLIENT_SHARE
    }

    /// The stored copy of a proof file, if there is an unanswered query about it. Otherwise, remembers this one.
    fn known_proof(&mut self, file: &Arc<[u8]>) -> Option<Arc<[u8]>> {
        self.proofs.retain(|proof| proof.strong_count() > 0);
        let known = self.proofs.iter().filter_map(Weak::upgrade).find(|known| known == file);
        if known.is_none() {
            self.proofs.push(Arc::downgrade(file));
        }
        known
    }

    /// Removes the waiting jobs of a client whose query id satisfies `concerns`.
    fn take_waiting(&mut self, client: ClientId, concerns: impl Fn(&str) -> bool) -> Vec<Job> {
        let mut taken = Vec::new();
        for queue in &mut self.clients.get_mut(&client).expect("a client is known").queues {
            taken.extend(queue.jobs.extract_if(.., |_, job| concerns(job.part.id())).map(|(_, job)| job));
        }
        for session in &mut self.sessions {
            if let Some(job) = session.assigned.take_if(|job| job.client == client && concerns(job.part.id())) {
                session.client = None;
                taken.push(job);
            }
        }
        taken
    }

    /// The number of sessions that work for a client.
    fn searches_of(&self, client: ClientId) -> usize {
        self.sessions.iter().filter(|session| session.client == Some(client)).count()
    }

    /// The client whose job of this effort begins next.
    fn next_client(&self, effort: Effort) -> Option<ClientId> {
        let has_work = |client: &ClientState| !client.queues[effort as usize].jobs.is_empty() && !client.sink.is_full();
        let waiting = self.clients.iter().filter(|(_, client)| has_work(client));
        let ranked = waiting.map(|(&id, client)| match effort {
            Effort::Search => (self.searches_of(id), client.queues[effort as usize].last_begun, id),
            Effort::Immediate | Effort::Brief | Effort::Proof => (0, client.queues[effort as usize].last_begun, id),
        });
        let (own, _, id) = ranked.min()?;
        let busy = self.sessions.iter().filter(|session| session.client.is_some()).count();
        (own == 0 || busy < self.searches).then_some(id)
    }

    /// Takes the first job of a client's queue.
    fn begin(&mut self, client: ClientId, effort: Effort) -> Job {
        self.begun += 1;
        let queue = &mut self.clients.get_mut(&client).expect("a client is known").queues[effort as usize];
        queue.last_begun = self.begun;
        queue.jobs.pop_first().expect("a job waits").1
    }

    /// Gives searches that wait to sessions that are idle.
    fn assign(&mut self) {
        while self.sessions.iter().any(|session| session.client.is_none()) {
            let Some(client) = self.next_client(Effort::Search) else { break };
            let job = self.begin(client, Effort::Search);
            let idle = (0..self.sessions.len()).filter(|&i| self.sessions[i].client.is_none());
            let use_of_tree = |i: usize| self.sessions[i].last.as_ref().map_or(0, |last| last.use_for(&job.part));
            // Taking a session without a tree, or else the oldest tree, keeps the others.
            let best =
                idle.max_by_key(|&i| (use_of_tree(i), self.sessions[i].last.is_none(), Reverse(self.sessions[i].used)));
            let session = &mut self.sessions[best.expect("a session is idle")];
            session.client = Some(client);
            session.used = self.begun;
            session.assigned = Some(job);
        }
    }

    /// Takes the next job of a lane and notes that it runs.
    fn next(&mut self, lane: Lane) -> Option<Arc<Job>> {
        let job = match lane {
            // Its thread may start before the session is known.
            Lane::Search(session) => self.sessions.get_mut(session)?.assigned.take(),
            Lane::Other(effort) => self.next_client(effort).map(|client| self.begin(client, effort)),
        }?;
        let job = Arc::new(job);
        self.running.insert(job.number, Arc::clone(&job));
        Some(job)
    }

    /// Notes that a job is answered.
    fn finish(&mut self, job: &Job) {
        self.running.remove(&job.number);
        if let Some(client) = self.clients.get_mut(&job.client) {
            client.jobs -= 1;
            client.bytes -= job.bytes;
        }
    }
}

/// The kind of jobs that a thread takes.
#[derive(Clone, Copy)]
enum Lane {
    /// Searches, as the session with this index.
    Search(usize),
    /// Other analyses, of this effort.
    Other(Effort),
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
            let (id, task, turn) = (job.part.id(), job.part.task(), job.part.turn);
            let work =
                AssertUnwindSafe(|| analyst.work(id, task, turn, &job.stop, &mut |answer| job.sink.send(answer)));
            if let Err(panic) = catch_unwind(work) {
                let error = ErrorAnswer::new(internal_error(&*panic)).about(id, task, turn);
                job.sink.send(&Answer::Error(error));
                analyst = Analyst::new(self.settings.clone());
            }
            self.finish(&job, lane);
        }
    }

    /// The next job of a lane, or `None` when the scheduler is closed.
    fn take(&self, lane: Lane) -> Option<Arc<Job>> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.next(lane) {
                if let Lane::Search(session) = lane {
                    let last = &mut state.sessions[session].last;
                    match job.part.task() {
                        Task::Analysis(_) => *last = Some(job.part.clone()),
                        Task::Review(_) => *last = None,
                        // The tree stays.
                        Task::Proof(_) | Task::Solve(_) => (),
                    }
                }
                return Some(job);
            }
            state = self.wait(state);
        }
    }

    /// Notes that a job is answered by the thread of this lane.
    fn finish(&self, job: &Job, lane: Lane) {
        let mut state = self.lock();
        state.finish(job);
        if let Lane::Search(session) = lane {
            state.sessions[session].client = None;
            state.assign();
        }
        drop(state);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_proof_is_kept_once() {
        let mut state = State::default();
        let [first, second, other]: [Arc<[u8]>; 3] = [b"proof"[..].into(), b"proof"[..].into(), b"other"[..].into()];
        assert!(state.known_proof(&first).is_none());
        assert!(Arc::ptr_eq(&state.known_proof(&second).unwrap(), &first));
        assert!(state.known_proof(&other).is_none());
        drop(first);
        // No query is about it any more.
        assert!(state.known_proof(&second).is_none());
        assert_eq!(state.proofs.len(), 2);
    }
}
