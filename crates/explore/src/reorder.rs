//! The order in which the conditions of a relevant slice may be turned around.

/// Reorders branches, given in the order of execution. `in_slice(b, of)` says whether `b` is in the relevant slice of `of`.
///
/// The last branch is the pivot: what its slice holds goes before it, the rest behind, both sides likewise. In the result
/// every branch comes after those of its own slice, as long as slices are closed (a slice holds the slices of its members).
pub fn reorder<T: Copy>(sequence: &[T], in_slice: &impl Fn(T, T) -> bool) -> Vec<T> {
    enum Work<T> {
        Sort(Vec<T>),
        Done(T),
    }
    let mut out = Vec::with_capacity(sequence.len());
    let mut work = vec![Work::Sort(sequence.to_vec())];
    while let Some(next) = work.pop() {
        match next {
            Work::Done(branch) => out.push(branch),
            Work::Sort(mut branches) => {
                let Some(pivot) = branches.pop() else { continue };
                let (front, back) = branches.into_iter().partition(|one| in_slice(*one, pivot));
                work.push(Work::Sort(back));
                work.push(Work::Done(pivot));
                work.push(Work::Sort(front));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::reorder;

    /// N-1 of the specification.
    #[test]
    fn a_pivot_takes_its_slice_along() {
        let slices: [&[u32]; 7] = [&[], &[], &[], &[1], &[2], &[3, 1], &[4, 2]];
        let order = reorder(&[1, 2, 3, 4, 5, 6], &|one: u32, of: u32| slices[of as usize].contains(&one));
        assert_eq!(order, [2, 4, 6, 1, 3, 5]);
    }

    /// The branches of E-25's second run: `x + y > 10` does not depend on `x - y > 0`, so it comes first.
    #[test]
    fn independent_branches_are_turned_from_the_last() {
        assert_eq!(reorder(&["x-y", "x+y"], &|_, _| false), ["x+y", "x-y"]);
    }
}
