//! Which partitions the tests of a suite are in (A15): what it tries, and what nobody tries.

use crate::found::Found;
use hydrogen_evidence::Input;
use hydrogen_explore::Assignment;
use hydrogen_term::Evaluator;

impl Found {
    /// The cell that holds an input; none where no cell that was found does.
    pub fn cell_of(&self, input: &Input) -> Option<usize> {
        self.cells.iter().position(|cell| {
            let model = input.model(&self.pool, &self.pool.variables(&cell.condition));
            let mut evaluator = Evaluator::new(&self.pool, &model);
            cell.condition.iter().all(|term| evaluator.holds(*term))
        })
    }
}
