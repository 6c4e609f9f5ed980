//! That what comes out differs, as a condition on the input of two runs whose paths stay as they are.

use hydrogen_explore::Observation;
use hydrogen_machine::{End, Stream};
use hydrogen_pair::Ran;
use hydrogen_term::{Pool, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The condition; none where it can hold for no input. The outcomes must be the same now, so lengths are.
pub(crate) fn differs(pool: &mut Pool, runs: &[Ran; 2]) -> Option<Term> {
    let [old, new] = runs;
    let mut unequal = Vec::new();
    let streams = |seen: &Observation| -> BTreeMap<Vec<u8>, Stream> {
        seen.logs.streams().map(|stream| (seen.world.name_of(stream).to_vec(), stream)).collect()
    };
    let (olds, news) = (streams(&old.seen), streams(&new.seen));
    let names: BTreeSet<&Vec<u8>> = olds.keys().chain(news.keys()).collect();
    for name in names {
        let log = |seen: &Observation, stream: Option<&Stream>| -> BTreeMap<u64, Term> {
            stream.map(|stream| seen.logs.of(*stream).collect()).unwrap_or_default()
        };
        let (a, b) = (log(&old.seen, olds.get(name)), log(&new.seen, news.get(name)));
        let places: BTreeSet<u64> = a.keys().chain(b.keys()).copied().collect();
        for place in places {
            let bytes = content(old, name);
            let Some(byte) = bytes.and_then(|bytes| bytes.get(place as usize).copied()) else { continue };
            let constant = pool.bits(8, u128::from(byte));
            let (one, two) =
                (a.get(&place).copied().unwrap_or(constant), b.get(&place).copied().unwrap_or(constant));
            unequal.push(pool.ne(one, two));
        }
    }
    if let (End::Exit(one), End::Exit(two)) = (&old.seen.end, &new.seen.end) {
        let status = |pool: &mut Pool, seen: &Observation, status: i32| {
            seen.status.unwrap_or_else(|| pool.bits(8, u128::from(status as u8)))
        };
        let (one, two) = (status(pool, &old.seen, *one), status(pool, &new.seen, *two));
        unequal.push(pool.ne(one, two));
    }
    for (one, two) in old.seen.outputs.iter().zip(&new.seen.outputs) {
        if pool.sort(one.value) == pool.sort(two.value) {
            unequal.push(pool.ne(one.value, two.value));
        }
    }
    let any = pool.or_all(unequal);
    (pool.as_bool(any) != Some(false)).then_some(any)
}

/// What a run wrote to a stream.
fn content<'a>(ran: &'a Ran, name: &[u8]) -> Option<&'a [u8]> {
    match name {
        b"stdout" => Some(&ran.outcome.stdout),
        b"stderr" => Some(&ran.outcome.stderr),
        file => ran.outcome.files.get(bstr::BStr::new(file)).map(Vec::as_slice),
    }
}
