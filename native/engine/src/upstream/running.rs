//! Boxed futures, several of them under way at once. The first that ends is returned first.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// `Ended`: how an attempt ends.
pub struct Running<'a, Who, Ended> {
    attempts: Vec<(Who, BoxFuture<'a, Ended>)>,
}

impl<Who, Ended> Default for Running<'_, Who, Ended> {
    fn default() -> Self {
        Self { attempts: Vec::new() }
    }
}

impl<'a, Who, Ended> Running<'a, Who, Ended> {
    pub fn start(&mut self, who: Who, attempt: BoxFuture<'a, Ended>) {
        self.attempts.push((who, attempt));
    }

    pub fn is_empty(&self) -> bool {
        self.attempts.is_empty()
    }

    pub fn all(&self) -> impl Iterator<Item = &Who> {
        self.attempts.iter().map(|(who, _)| who)
    }

    pub fn latest(&self) -> Option<&Who> {
        self.attempts.last().map(|(who, _)| who)
    }

    /// The next one that ends; it is removed. Never returns if nothing is under way. Those that were started first are polled
    /// first.
    pub async fn next(&mut self) -> (Who, Ended) {
        poll_fn(|cx| {
            for index in 0..self.attempts.len() {
                if let Poll::Ready(result) = self.attempts[index].1.as_mut().poll(cx) {
                    return Poll::Ready((self.attempts.remove(index).0, result));
                }
            }
            Poll::Pending
        })
        .await
    }
}
