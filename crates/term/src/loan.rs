//! A pool that is given away by value, to whoever watches a run, and comes back also where the run is left in the middle.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

use crate::pool::Pool;

thread_local! {
    /// The pools of this thread that are given away.
    static GIVEN: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    /// Those whose holder is gone, because its work was left.
    static FOUND: RefCell<Vec<Pool>> = const { RefCell::new(Vec::new()) };
}

/// The place that a pool was given away from. It is put back here when work is left (see `hydrogen_stop`) before anybody did.
pub struct Loan<'a> {
    home: &'a mut Pool,
    identity: u64,
}

impl<'a> Loan<'a> {
    /// Takes the pool from its place.
    pub fn of(home: &'a mut Pool) -> (Pool, Self) {
        let pool = std::mem::take(home);
        let identity = pool.identity();
        GIVEN.with_borrow_mut(|given| given.push(identity));
        (pool, Self { home, identity })
    }
}

impl Deref for Loan<'_> {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        self.home
    }
}

impl DerefMut for Loan<'_> {
    fn deref_mut(&mut self) -> &mut Pool {
        self.home
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        GIVEN.with_borrow_mut(|given| given.retain(|one| *one != self.identity));
        let found = FOUND.with_borrow_mut(|found| {
            let at = found.iter().position(|pool| pool.identity() == self.identity)?;
            Some(found.swap_remove(at))
        });
        if let Some(pool) = found {
            *self.home = pool;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if std::thread::panicking() && GIVEN.with_borrow(|given| given.contains(&self.identity())) {
            let kept = std::mem::take(self);
            FOUND.with_borrow_mut(|found| found.push(kept));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;
    use hydrogen_stop::{Stop, look_now, within};
    use std::time::{Duration, Instant};

    #[test]
    fn a_pool_comes_back_from_work_that_is_left() {
        let mut home = Pool::new();
        let x = home.var("x", Sort::Bits(8));
        let stop = Stop::at(Instant::now() + Duration::from_millis(5));
        let done = within(&stop, || {
            let (pool, _loan) = Loan::of(&mut home);
            // As where it is given to a run: it is gone before the loan is.
            let mut pool = pool;
            loop {
                let (one, other) = (pool.bits(8, 3), Pool::new());
                pool.add(x, one);
                look_now();
                drop(other);
            }
        });
        let _: Result<(), _> = done;
        assert_eq!((home.as_var(x), home.len() > 1), (Some("x"), true));
    }

    #[test]
    fn a_pool_that_was_put_back_stays() {
        let mut home = Pool::new();
        let x = home.var("x", Sort::Bits(8));
        {
            let (pool, mut loan) = Loan::of(&mut home);
            *loan = pool;
        }
        assert_eq!(home.as_var(x), Some("x"));
    }
}
