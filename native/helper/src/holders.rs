//! Service and guardian look after what was taken over. Each of them says so on a connection, which it keeps open.

use std::cell::Cell;
use std::rc::Rc;

use tokio::sync::Notify;

#[derive(Default)]
pub struct Holders {
    count: Cell<usize>,
    changed: Notify,
}

/// It counts as long as it is not dropped.
pub struct Hold(Rc<Holders>);

impl Holders {
    pub fn add(self: &Rc<Self>) -> Hold {
        self.change(self.count.get() + 1);
        Hold(self.clone())
    }

    pub fn any(&self) -> bool {
        self.count.get() > 0
    }

    pub async fn come(&self) {
        self.until(true).await;
    }

    pub async fn are_gone(&self) {
        self.until(false).await;
    }

    async fn until(&self, any: bool) {
        loop {
            let changed = self.changed.notified();
            if self.any() == any {
                return;
            }
            changed.await;
        }
    }

    fn change(&self, count: usize) {
        self.count.set(count);
        self.changed.notify_waiters();
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.change(self.0.count.get() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_one_to_go_is_noticed() {
        let holders = Rc::new(Holders::default());
        holders.are_gone().await;
        let (service, guardian) = (holders.add(), holders.add());
        holders.come().await;
        drop(service);
        assert!(holders.any());
        tokio::join!(holders.are_gone(), async { drop(guardian) });
        assert!(!holders.any());
    }
}
