//! Places that the containers of a bridge share. A container gets as many as are free besides, so that there is always one for its
//! neighbours, however many it takes.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::net::IpAddr;
use std::rc::Rc;

pub struct Shares {
    free: Cell<usize>,
    taken: RefCell<HashMap<IpAddr, usize>>,
}

/// Free again when it is dropped.
pub struct Place {
    shares: Rc<Shares>,
    container: IpAddr,
}

impl Shares {
    pub fn of(places: usize) -> Rc<Self> {
        Rc::new(Self { free: Cell::new(places), taken: RefCell::default() })
    }

    /// `None`: none is free, or the container has as many already.
    pub fn take(self: &Rc<Self>, container: IpAddr) -> Option<Place> {
        let mut taken = self.taken.borrow_mut();
        let own = taken.get(&container).copied().unwrap_or(0);
        let free = self.free.get().checked_sub(1).filter(|left| own <= *left)?;
        self.free.set(free);
        taken.insert(container, own + 1);
        Some(Place { shares: self.clone(), container })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shares.free.set(self.shares.free.get() + 1);
        let mut taken = self.shares.taken.borrow_mut();
        match taken.get_mut(&self.container) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(taken.remove(&self.container)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(last: u8) -> IpAddr {
        [172, 17, 0, last].into()
    }

    fn all(shares: &Rc<Shares>, last: u8) -> Vec<Place> {
        std::iter::from_fn(|| shares.take(container(last))).collect()
    }

    #[test]
    fn one_container_leaves_places_to_the_others_and_all_together_have_no_more() {
        let shares = Shares::of(256);
        let first = all(&shares, 2);
        assert_eq!(first.len(), 128);
        let second = all(&shares, 3);
        assert_eq!(second.len(), 64);
        let others: Vec<_> = (4..=255).flat_map(|last| all(&shares, last)).collect();
        assert_eq!((first.len() + second.len() + others.len(), shares.free.get()), (256, 0));
        drop((first, second, others));
        assert!(shares.taken.borrow().is_empty());
        assert_eq!(all(&shares, 9).len(), 128);
    }
}
