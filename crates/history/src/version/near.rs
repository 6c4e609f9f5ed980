//! An order of commits in which neighbours differ little.
//!
//! Going through a history costs what neighbours in the list differ in. Git's topological order puts a line of history directly before
//! the commit that merges it, so a list goes forth and back over all that happened elsewhere since the line began: in a
//! history of many small branches that is ten times as much as what all its commits changed. Here a line stands where it began.

/// An order of commits in which parents come before their children: a line is followed as far as it goes, and lines begin
/// in the order of what they began with. `parents` are places in the list; `begun` says when a commit was made that a line without a
/// parent in the list began with, and is looked at for those alone. Gives places.
pub fn near_order(parents: &[Vec<usize>], begun: &[i64]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut waiting: Vec<usize> = vec![0; parents.len()];
    for (at, parents) in parents.iter().enumerate() {
        waiting[at] = parents.len();
        parents.iter().for_each(|&parent| children[parent].push(at));
    }
    let mut ready: Vec<usize> = (0..parents.len()).filter(|&at| waiting[at] == 0).collect();
    ready.sort_by_key(|&at| std::cmp::Reverse((begun[at], at)));
    let mut order = Vec::with_capacity(parents.len());
    while let Some(at) = ready.pop() {
        order.push(at);
        // Of several lines that go on from here, the last one is followed first. Git lists what is merged before what it is
        // merged into, so that is the line into which others are merged, if it need not wait for them.
        for &child in &children[at] {
            waiting[child] -= 1;
            if waiting[child] == 0 {
                ready.push(child);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::near_order;

    #[test]
    fn a_line_stands_where_it_began() {
        // 0 ─ 1 ─ 3 ─ 5 and 0 ─ 2 ─ 4 ─ 5.
        let parents = [vec![], vec![0], vec![0], vec![1], vec![2], vec![3, 4]];
        assert_eq!(near_order(&parents, &[0; 6]), [0, 2, 4, 1, 3, 5]);
    }

    #[test]
    fn lines_begin_in_the_order_of_what_they_began_with() {
        let parents = [vec![], vec![], vec![0, 1], vec![], vec![2, 3]];
        assert_eq!(near_order(&parents, &[5, 3, 0, 4, 0]), [1, 3, 0, 2, 4]);
    }
}
