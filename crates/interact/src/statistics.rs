//! Statistics of histories (G11). Distributions are those of `statrs`.

pub use hydrogen_evidence::complexity::{Agreement, Correlation};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Pearson's correlation; nothing for fewer than three pairs, or when one side is constant.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let count = x.len().min(y.len());
    if count < 3 {
        return None;
    }
    let (x, y) = (&x[..count], &y[..count]);
    let (mx, my) = (mean(x), mean(y));
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(&x, &y)| f(x - mx, y - my)).sum::<f64>();
    let (xy, xx, yy) = (sum(&|x, y| x * y), sum(&|x, _| x * x), sum(&|_, y| y * y));
    if xx == 0.0 || yy == 0.0 {
        return None;
    }
    let coefficient = (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0);
    let freedom = count as f64 - 2.0;
    let p = match 1.0 - coefficient * coefficient {
        rest if rest <= 0.0 => 0.0,
        rest => two_sided(coefficient * (freedom / rest).sqrt(), freedom)?,
    };
    Some(Correlation { coefficient, p, count })
}

/// Spearman's rank correlation: Pearson's of the ranks, equal values sharing the mean of theirs.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    let count = x.len().min(y.len());
    pearson(&ranks(&x[..count]), &ranks(&y[..count]))
}

fn two_sided(t: f64, freedom: f64) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some((2.0 * distribution.sf(t.abs())).min(1.0))
}

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The median; 0 of nothing.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[count / 2],
        count => (sorted[count / 2 - 1] + sorted[count / 2]) / 2.0,
    }
}

/// The rank of each value, from 1; equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let same = |&&at: &&usize| values[at] == values[order[start]];
        let end = start + order[start..].iter().take_while(same).count();
        let rank = (start + 1 + end) as f64 / 2.0;
        order[start..end].iter().for_each(|&at| ranks[at] = rank);
        start = end;
    }
    ranks
}

/// Cohen's κ of two raters who label the same subjects; nothing without subjects or when both always agree by chance.
pub fn cohen_kappa<T: Ord + Copy>(a: &[T], b: &[T]) -> Option<f64> {
    let count = a.len().min(b.len());
    if count == 0 {
        return None;
    }
    let mut labels: Vec<T> = a[..count].iter().chain(&b[..count]).copied().collect();
    labels.sort_unstable();
    labels.dedup();
    let share = |side: &[T], label: T| side.iter().filter(|it| **it == label).count() as f64 / count as f64;
    let agreed = a.iter().zip(b).filter(|(x, y)| x == y).count() as f64 / count as f64;
    let chance: f64 = labels.iter().map(|&label| share(&a[..count], label) * share(&b[..count], label)).sum();
    (chance < 1.0).then(|| (agreed - chance) / (1.0 - chance))
}

/// The limits of agreement; nothing for fewer than two pairs.
pub fn bland_altman(a: &[f64], b: &[f64]) -> Option<Agreement> {
    let differences: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    (differences.len() >= 2)
        .then(|| Agreement { bias: mean(&differences), limit: 1.96 * variance(&differences).sqrt() })
}

/// The variance of a sample; 0 of fewer than two values.
pub fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let middle = mean(values);
    values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// The share of values that are at most each of the distinct ones, ascending.
pub fn cumulative(values: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (at, &value) in sorted.iter().enumerate() {
        let share = (at + 1) as f64 / sorted.len() as f64;
        match points.last_mut() {
            Some(last) if last.0 == value => last.1 = share,
            _ => points.push((value, share)),
        }
    }
    points
}

/// The exponent of a power law for values from `least` on, by maximum likelihood (continuous; Clauset and others 2009).
/// Nothing where fewer than two values are above `least`, which must be positive.
pub fn power_law(values: &[f64], least: f64) -> Option<f64> {
    let tail: Vec<f64> = values.iter().copied().filter(|&value| value >= least && least > 0.0).collect();
    let sum: f64 = tail.iter().map(|value| (value / least).ln()).sum();
    (tail.len() >= 2 && sum > 0.0).then(|| 1.0 + tail.len() as f64 / sum)
}

/// The difference of two means, with the likelihood of one at least so large by chance (Welch's t test).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The first mean minus the second.
    pub difference: f64,
    /// Two-sided.
    pub p: f64,
}

/// Compares the means of two samples; nothing when one has fewer than two values or neither varies.
pub fn difference_of_means(a: &[f64], b: &[f64]) -> Option<Difference> {
    if a.len() < 2 || b.len() < 2 {
        return None;
    }
    let (va, vb) = (variance(a) / a.len() as f64, variance(b) / b.len() as f64);
    if va + vb == 0.0 {
        return None;
    }
    let difference = mean(a) - mean(b);
    let freedom = (va + vb).powi(2) / (va * va / (a.len() as f64 - 1.0) + vb * vb / (b.len() as f64 - 1.0));
    Some(Difference { difference, p: two_sided(difference / (va + vb).sqrt(), freedom)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expect: f64) {
        assert!((found - expect).abs() < 5e-4 * expect.abs().max(1e-2), "{found} is not {expect}");
    }

    /// Anscombe's first data set: r = 0.816, and p = 0.00217 as R's `cor.test` gives it.
    const X: [f64; 11] = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
    const Y: [f64; 11] = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];

    #[test]
    fn pearson_of_anscombe() {
        let found = pearson(&X, &Y).expect("enough data");
        near(found.coefficient, 0.81642);
        near(found.p, 0.00217);
    }

    /// The textbook example of intelligence and hours of television: ρ = -29/165, p = 0.6272 by Student's t.
    #[test]
    fn spearman_of_the_textbook() {
        let iq = [106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0];
        let hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
        let found = spearman(&iq, &hours).expect("enough data");
        near(found.coefficient, -29.0 / 165.0);
        near(found.p, 0.62718);
    }

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 2.0]), [3.5, 1.0, 3.5, 2.0]);
        assert_eq!(pearson(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
    }

    /// Cohen's example as Wikipedia has it: 20 yes, 15 no, 5 and 10 mixed give 0.4.
    #[test]
    fn kappa_of_two_readers() {
        let mut pairs = vec![(1, 1); 20];
        pairs.extend([(1, 0); 5]);
        pairs.extend([(0, 1); 10]);
        pairs.extend([(0, 0); 15]);
        let (a, b): (Vec<i32>, Vec<i32>) = pairs.into_iter().unzip();
        near(cohen_kappa(&a, &b).expect("two labels"), 0.4);
    }

    /// Student's sleep data: Welch's test gives p = 0.07939.
    #[test]
    fn welch_of_students_sleep() {
        let a = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let b = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let found = difference_of_means(&a, &b).expect("both vary");
        near(found.difference, -1.58);
        near(found.p, 0.07939);
        let limits = bland_altman(&a, &b).expect("pairs");
        near(limits.bias, -1.58);
        near(limits.limit, 1.96 * 1.229_995);
    }

    #[test]
    fn distributions() {
        assert_eq!(cumulative(&[2.0, 1.0, 2.0, 4.0]), [(1.0, 0.25), (2.0, 0.75), (4.0, 1.0)]);
        let e = std::f64::consts::E;
        near(power_law(&[1.0, e, e * e], 1.0).expect("a tail"), 2.0);
        near(median(&[5.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
