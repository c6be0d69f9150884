//! Work that takes long is done in turns, one after the other on each thread, and everybody whose response is due comes between two of
//! them: who asks now and then waits for one turn, however many others want a handshake or ask without end (decision 0089).

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::yield_now;

/// Flights of handshakes in a turn: 0.1 ms each. Every turn costs a visit of the event loop, which is less than the noise with four.
const FLIGHTS: usize = 4;
/// Connections that end in a turn: 0.02 ms each.
const CLOSINGS: usize = 16;

#[derive(Debug)]
pub struct Turns {
    handshakes: Line,
    closings: Line,
    queries: Semaphore,
}

impl Turns {
    /// For the threads of the current runtime.
    pub fn new() -> Self {
        let threads = Handle::current().metrics().num_workers();
        Turns {
            handshakes: Line::new(threads, FLIGHTS),
            closings: Line::new(threads, CLOSINGS),
            queries: Semaphore::new(threads),
        }
    }

    /// Computes one flight of a handshake; whoever then waits for the client keeps no turn.
    pub async fn for_handshake<Done>(&self, mut flight: impl FnMut(&mut Context<'_>) -> Done) -> Done {
        self.handshakes.work(poll_fn(|context| Poll::Ready(flight(context)))).await
    }

    /// Ends one connection: thousands of them may end together.
    pub async fn for_closing(&self, close: impl FnOnce()) {
        self.closings.work(async { close() }).await;
    }

    /// For a client that has had as many responses as others may wait for, and has asked for more. To be given back after
    /// `yield_now`, or before anything else is awaited.
    pub async fn for_queries(&self) -> SemaphorePermit<'_> {
        self.queries.acquire().await.expect("it is never closed")
    }
}

/// Pieces of work that wait for each other.
#[derive(Debug)]
struct Line {
    workers: Semaphore,
    done: AtomicUsize,
    in_a_turn: usize,
}

impl Line {
    fn new(threads: usize, in_a_turn: usize) -> Self {
        Line { workers: Semaphore::new(threads), done: AtomicUsize::new(0), in_a_turn }
    }

    async fn work<Done>(&self, piece: impl Future<Output = Done>) -> Done {
        let _worker = self.workers.acquire().await.expect("it is never closed");
        let done = piece.await;
        if self.done.fetch_add(1, Relaxed) % self.in_a_turn == self.in_a_turn - 1 {
            yield_now().await;
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use tokio::task::LocalSet;

    use super::*;

    #[tokio::test]
    async fn whoever_is_ready_waits_for_one_turn() {
        let (in_a_turn, pieces) = (3, 15);
        let (line, order) = (Rc::new(Line::new(1, in_a_turn)), Rc::new(RefCell::new(String::new())));
        let tasks = LocalSet::new();
        for _ in 0..pieces {
            let (line, order) = (line.clone(), order.clone());
            tasks.spawn_local(async move { line.work(async { order.borrow_mut().push('w') }).await });
        }
        let responses = order.clone();
        tasks.spawn_local(async move {
            while responses.borrow().matches('w').count() < pieces {
                responses.borrow_mut().push('r');
                yield_now().await;
            }
        });
        tasks.await;
        let order = order.take();
        assert_eq!(order.matches('w').count(), pieces);
        assert!(!order.contains(&"w".repeat(in_a_turn + 1)), "{order}");
    }
}
