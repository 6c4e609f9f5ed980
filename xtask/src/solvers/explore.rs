//! Path conditions from small programs: each is run again and again, every undecided branch both ways, as a symbolic
//! executor does; what it asks on the way is recorded.

use hydrogen_term::{Engine, Limits, Pool, Solver, Sort, Term, standard};

/// The questions of an exploration, in the order in which they were asked, with their pool.
pub struct Recording {
    pub name: &'static str,
    pub pool: Pool,
    pub queries: Vec<Vec<Term>>,
    pub paths: usize,
}

/// One run of a program: its path so far, and the decisions that are given.
pub struct Run<'a> {
    pub pool: &'a mut Pool,
    engine: &'a mut Engine<Box<dyn Solver + Send>>,
    queries: &'a mut Vec<Vec<Term>>,
    path: Vec<Term>,
    given: Vec<bool>,
    taken: Vec<bool>,
    /// Decisions after which the other side is possible as well.
    open: Vec<Vec<bool>>,
}

/// Explores a program up to a number of paths.
pub fn explore(name: &'static str, most_paths: usize, program: impl Fn(&mut Run<'_>)) -> Recording {
    let limits = Limits { time: std::time::Duration::from_secs(3), memory: 4096, ..Limits::default() };
    let (mut pool, mut queries) = (Pool::new(), Vec::new());
    let mut engine = Engine::new(standard(), limits);
    let mut open: Vec<Vec<bool>> = vec![Vec::new()];
    let mut paths = 0;
    while let Some(given) = open.pop() {
        let mut run = Run {
            pool: &mut pool,
            engine: &mut engine,
            queries: &mut queries,
            path: Vec::new(),
            given,
            taken: Vec::new(),
            open: Vec::new(),
        };
        program(&mut run);
        open.append(&mut run.open);
        paths += 1;
        if paths >= most_paths {
            break;
        }
    }
    Recording { name, pool, queries, paths }
}

impl Run<'_> {
    fn ask(&mut self, condition: Term) -> bool {
        let mut query = self.path.clone();
        query.push(condition);
        self.queries.push(query.clone());
        // An unknown side is not followed, whoever measures later.
        self.engine.check(self.pool, &query).is_sat()
    }

    /// Whether the program goes on with the condition true.
    pub fn branch(&mut self, condition: Term) -> bool {
        if let Some(value) = self.pool.as_bool(condition) {
            return value;
        }
        let denied = self.pool.not(condition);
        let decision = match self.given.get(self.taken.len()) {
            Some(&decision) => decision,
            None => {
                let (can, can_not) = (self.ask(condition), self.ask(denied));
                if can && can_not {
                    let mut other = self.taken.clone();
                    other.push(false);
                    self.open.push(other);
                }
                can || !can_not
            }
        };
        self.taken.push(decision);
        self.path.push(if decision { condition } else { denied });
        decision
    }

    /// Asks whether a fault is possible here, and goes on without it.
    pub fn fault(&mut self, condition: Term) {
        if self.pool.as_bool(condition).is_some() || self.taken.len() < self.given.len() {
            return;
        }
        self.ask(condition);
    }

    /// A byte of the input.
    pub fn byte(&mut self, at: u64) -> Term {
        let input = self.pool.var("input", Sort::MEMORY);
        let index = self.pool.bits(64, u128::from(at));
        self.pool.select(input, index)
    }

    /// A byte of the input at an unknown place.
    pub fn byte_at(&mut self, at: Term) -> Term {
        let input = self.pool.var("input", Sort::MEMORY);
        self.pool.select(input, at)
    }

    /// A constant.
    pub fn k(&mut self, width: u32, value: i128) -> Term {
        self.pool.signed_bits(width, value)
    }
}
