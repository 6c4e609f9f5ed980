//! Everything that Bitwuzla gives out, owned in one place.

use std::{
    collections::HashMap,
    ffi::{CStr, CString},
    ptr,
};

use crate::{ArrayEntries, Handle, Kind, Outcome, RoundingMode, Shape, ffi};

/// `BITWUZLA_KIND_CONST_ARRAY`, `BITWUZLA_KIND_APPLY` and `BITWUZLA_KIND_ARRAY_STORE`.
const CONST_ARRAY: i32 = 1;
const APPLY: i32 = 15;
const ARRAY_STORE: i32 = Kind::Store as i32;

/// A term manager and one solver on it.
///
/// Invariant: every pointer in it came from `manager` and is alive as long as that.
pub struct Context {
    manager: ffi::Manager,
    solver: ffi::Solver,
    terms: Vec<(ffi::Term, Sort)>,
    sorts: HashMap<Shape, ffi::Sort>,
    /// Scopes entered and not left.
    level: u32,
    /// Whether the last check said that the assertions can hold, and nothing was changed since.
    is_sat: bool,
}

/// The sort of a term, functions included.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Sort {
    Plain(Shape),
    Function(Vec<Shape>, Shape),
}

// SAFETY: Bitwuzla's objects belong to no thread, and a context is the only owner of those it has; only its buffers for
// returned text and lists are per thread, and those are copied before a method returns.
unsafe impl Send for Context {}

impl Context {
    /// A context without assertions. `substitute` lets it put in what equations say, which pays for a single question.
    pub fn new(substitute: bool) -> Option<Self> {
        // SAFETY: creating these has no preconditions.
        let (manager, options) = unsafe { (ffi::bitwuzla_term_manager_new(), ffi::bitwuzla_options_new()) };
        // SAFETY: the options were just created, both options take 0 or 1, and a solver copies them; the manager outlives the
        // solver, see `drop`.
        let solver = unsafe {
            ffi::bitwuzla_set_option(options, ffi::PRODUCE_MODELS, 1);
            ffi::bitwuzla_set_option(options, ffi::SUBSTITUTE_VARIABLES, u64::from(substitute));
            ffi::bitwuzla_set_option(options, ffi::NORMALIZE, 0);
            let solver = ffi::bitwuzla_new(manager, options);
            ffi::bitwuzla_options_delete(options);
            solver
        };
        let sorts = HashMap::new();
        Some(Self { manager, solver, terms: Vec::new(), sorts, level: 0, is_sat: false })
    }

    /// Number of terms made.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether no term was made.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    fn raw(&self, handle: Handle) -> ffi::Term {
        self.terms[handle.0 as usize].0
    }

    fn shape(&self, handle: Handle) -> Shape {
        match &self.terms[handle.0 as usize].1 {
            Sort::Plain(shape) => *shape,
            Sort::Function(..) => panic!("a function is no value"),
        }
    }

    fn width(&self, handle: Handle) -> u32 {
        match self.shape(handle) {
            Shape::Bits(width) => width,
            other => panic!("a bit-vector is expected, not {other:?}"),
        }
    }

    fn keep(&mut self, term: ffi::Term, sort: Sort) -> Handle {
        assert!(!term.is_null(), "Bitwuzla makes every well-sorted term");
        let handle = Handle(u32::try_from(self.terms.len()).expect("terms are fewer than 2^32"));
        self.terms.push((term, sort));
        handle
    }

    fn sort(&mut self, shape: Shape) -> ffi::Sort {
        if let Some(&sort) = self.sorts.get(&shape) {
            return sort;
        }
        let sort = match shape {
            // SAFETY: the manager is alive.
            Shape::Bool => unsafe { ffi::bitwuzla_mk_bool_sort(self.manager) },
            Shape::Bits(width) => {
                assert!(width > 0, "bit-vectors have at least one bit");
                // SAFETY: the manager is alive and the width is not zero.
                unsafe { ffi::bitwuzla_mk_bv_sort(self.manager, u64::from(width)) }
            }
            Shape::Array(index, element) => {
                let (index, element) = (self.sort(Shape::Bits(index)), self.sort(Shape::Bits(element)));
                // SAFETY: manager and sorts are alive.
                unsafe { ffi::bitwuzla_mk_array_sort(self.manager, index, element) }
            }
            Shape::Float(exponent, significand) => {
                assert!(exponent > 1 && significand > 1, "Bitwuzla has no smaller formats");
                // SAFETY: the manager is alive and the sizes are within bounds.
                unsafe { ffi::bitwuzla_mk_fp_sort(self.manager, u64::from(exponent), u64::from(significand)) }
            }
            // SAFETY: the manager is alive.
            Shape::Rounding => unsafe { ffi::bitwuzla_mk_rm_sort(self.manager) },
        };
        self.sorts.insert(shape, sort);
        sort
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> Handle {
        // SAFETY: the manager is alive.
        let term = unsafe {
            match value {
                true => ffi::bitwuzla_mk_true(self.manager),
                false => ffi::bitwuzla_mk_false(self.manager),
            }
        };
        self.keep(term, Sort::Plain(Shape::Bool))
    }

    /// A bit-vector value, which must fit into the width.
    pub fn bits(&mut self, width: u32, value: u128) -> Handle {
        assert!(width >= 128 || value >> width == 0, "the value must fit into the width");
        let sort = self.sort(Shape::Bits(width));
        let term = match u64::try_from(value) {
            // SAFETY: manager and sort are alive, and the value fits into the sort.
            Ok(small) => unsafe { ffi::bitwuzla_mk_bv_value_uint64(self.manager, sort, small) },
            Err(_) => {
                let digits = CString::new(format!("{value:x}")).expect("digits have no zero byte");
                // SAFETY: as above; the text ends with a zero byte and is copied.
                unsafe { ffi::bitwuzla_mk_bv_value(self.manager, sort, digits.as_ptr(), 16) }
            }
        };
        self.keep(term, Sort::Plain(Shape::Bits(width)))
    }

    /// A way to round.
    pub fn rounding(&mut self, mode: RoundingMode) -> Handle {
        // SAFETY: the manager is alive and the mode is one of Bitwuzla's.
        let term = unsafe { ffi::bitwuzla_mk_rm_value(self.manager, mode as i32) };
        self.keep(term, Sort::Plain(Shape::Rounding))
    }

    /// A new variable.
    pub fn variable(&mut self, shape: Shape) -> Handle {
        let sort = self.sort(shape);
        // SAFETY: manager and sort are alive; a name may be absent.
        let term = unsafe { ffi::bitwuzla_mk_const(self.manager, sort, ptr::null()) };
        self.keep(term, Sort::Plain(shape))
    }

    /// A new uninterpreted function.
    pub fn function(&mut self, arguments: &[Shape], result: Shape) -> Handle {
        assert!(!arguments.is_empty(), "a function has arguments");
        let domain: Vec<ffi::Sort> = arguments.iter().map(|&shape| self.sort(shape)).collect();
        let codomain = self.sort(result);
        // SAFETY: manager and sorts are alive, the count is that of the list, and the list is only read.
        let term = unsafe {
            let sort =
                ffi::bitwuzla_mk_fun_sort(self.manager, domain.len() as u64, domain.as_ptr(), codomain);
            ffi::bitwuzla_mk_const(self.manager, sort, ptr::null())
        };
        self.keep(term, Sort::Function(arguments.to_vec(), result))
    }

    /// A function's value.
    pub fn apply(&mut self, function: Handle, args: &[Handle]) -> Handle {
        let Sort::Function(arguments, result) = self.terms[function.0 as usize].1.clone() else {
            panic!("only functions are applied")
        };
        assert!(
            arguments.iter().copied().eq(args.iter().map(|&arg| self.shape(arg))),
            "the sorts must be the function's"
        );
        let all: Vec<ffi::Term> = [function].iter().chain(args).map(|&arg| self.raw(arg)).collect();
        // SAFETY: all terms are alive, and their sorts were checked.
        let term = unsafe { ffi::bitwuzla_mk_term(self.manager, APPLY, all.len() as u32, all.as_ptr()) };
        self.keep(term, Sort::Plain(result))
    }

    /// The array with one element everywhere.
    pub fn const_array(&mut self, index: u32, value: Handle) -> Handle {
        let shape = Shape::Array(index, self.width(value));
        let sort = self.sort(shape);
        // SAFETY: all are alive, and the value has the sort's element sort.
        let term = unsafe { ffi::bitwuzla_mk_const_array(self.manager, sort, self.raw(value)) };
        self.keep(term, Sort::Plain(shape))
    }

    /// An operator's value.
    ///
    /// # Panics
    /// If number or sorts of the arguments are wrong.
    pub fn term(&mut self, kind: Kind, args: &[Handle]) -> Handle {
        let shapes: Vec<Shape> = args.iter().map(|&arg| self.shape(arg)).collect();
        let result = result_of(kind, &shapes).unwrap_or_else(|| panic!("{kind:?} does not take {shapes:?}"));
        let raw: Vec<ffi::Term> = args.iter().map(|&arg| self.raw(arg)).collect();
        // SAFETY: all terms are alive, and number and sorts were checked.
        let term =
            unsafe { ffi::bitwuzla_mk_term(self.manager, kind as i32, raw.len() as u32, raw.as_ptr()) };
        self.keep(term, Sort::Plain(result))
    }

    fn indexed(&mut self, kind: Kind, args: &[Handle], indices: &[u64], result: Shape) -> Handle {
        let raw: Vec<ffi::Term> = args.iter().map(|&arg| self.raw(arg)).collect();
        // SAFETY: the terms are alive, and the callers have checked their sorts and the indices.
        let term = unsafe {
            ffi::bitwuzla_mk_term_indexed(
                self.manager,
                kind as i32,
                raw.len() as u32,
                raw.as_ptr(),
                indices.len() as u32,
                indices.as_ptr(),
            )
        };
        self.keep(term, Sort::Plain(result))
    }

    /// A floating-point number from bits, or from a rounding mode and an integer or another number, by the kind.
    pub fn to_float(&mut self, kind: Kind, args: &[Handle], exponent: u32, significand: u32) -> Handle {
        let shapes: Vec<Shape> = args.iter().map(|&arg| self.shape(arg)).collect();
        let fits = match (kind, shapes.as_slice()) {
            (Kind::FpFromBits, [Shape::Bits(width)]) => *width == exponent + significand,
            (Kind::FpFromFp, [Shape::Rounding, Shape::Float(..)]) => true,
            (Kind::FpFromSigned | Kind::FpFromUnsigned, [Shape::Rounding, Shape::Bits(_)]) => true,
            _ => false,
        };
        assert!(fits, "{kind:?} does not take {shapes:?}");
        let indices = [u64::from(exponent), u64::from(significand)];
        self.indexed(kind, args, &indices, Shape::Float(exponent, significand))
    }

    /// A floating-point number as an integer of a width.
    pub fn to_integer(&mut self, kind: Kind, rounding: Handle, number: Handle, width: u32) -> Handle {
        let fits = matches!((self.shape(rounding), self.shape(number)), (Shape::Rounding, Shape::Float(..)));
        let is_conversion = matches!(kind, Kind::FpToSigned | Kind::FpToUnsigned);
        assert!(fits && is_conversion && width > 0, "{kind:?} takes a rounding mode and a number");
        self.indexed(kind, &[rounding, number], &[u64::from(width)], Shape::Bits(width))
    }

    /// Bits `high` to `low`.
    pub fn extract(&mut self, arg: Handle, high: u32, low: u32) -> Handle {
        assert!(low <= high && high < self.width(arg), "there are such bits");
        self.indexed(Kind::BvExtract, &[arg], &[u64::from(high), u64::from(low)], Shape::Bits(high - low + 1))
    }

    /// Extension by a number of bits, of the kind that is given.
    pub fn extend(&mut self, kind: Kind, arg: Handle, by: u32) -> Handle {
        assert!(matches!(kind, Kind::BvSignExtend | Kind::BvZeroExtend), "{kind:?} is no extension");
        let width = self.width(arg) + by;
        self.indexed(kind, &[arg], &[u64::from(by)], Shape::Bits(width))
    }

    /// Enters a scope.
    pub fn push(&mut self) {
        self.is_sat = false;
        self.level += 1;
        // SAFETY: the solver is alive.
        unsafe { ffi::bitwuzla_push(self.solver, 1) }
    }

    /// Leaves scopes.
    pub fn pop(&mut self, levels: u32) {
        assert!(levels <= self.level, "only scopes that were entered are left");
        self.is_sat = false;
        self.level -= levels;
        // SAFETY: the solver is alive and has that many scopes.
        unsafe { ffi::bitwuzla_pop(self.solver, u64::from(levels)) }
    }

    /// Asserts a truth-valued term in the current scope.
    pub fn assert(&mut self, term: Handle) {
        assert_eq!(self.shape(term), Shape::Bool, "only truth values are asserted");
        self.is_sat = false;
        // SAFETY: solver and term are alive and of one manager; the term is a truth value.
        unsafe { ffi::bitwuzla_assert(self.solver, self.raw(term)) }
    }

    /// Whether the assertions can hold together, within limits. The memory is what the process may grow by.
    ///
    /// Work is counted in units that are the same on every machine, 0 for no limit; what was done is added to `work`.
    pub fn check(&mut self, milliseconds: u64, mebibytes: u64, most_work: u64, work: &mut u64) -> Outcome {
        let (mut done, stop) = (0, crate::INTERRUPTED.as_ptr().cast_const());
        // SAFETY: the solver is alive; the number is written before the call ends; the flag is read atomically and lives for ever; no
        // exception leaves the function.
        let outcome = unsafe {
            ffi::hydrogen_bitwuzla_check(self.solver, milliseconds, mebibytes, most_work, &mut done, stop)
        };
        *work = work.saturating_add(done);
        let outcome = match outcome {
            10 => Outcome::Sat,
            20 => Outcome::Unsat,
            0 => Outcome::Unknown,
            1 => Outcome::Timeout,
            2 => Outcome::Memory,
            _ => Outcome::Broken,
        };
        self.is_sat = outcome == Outcome::Sat;
        outcome
    }

    /// The value of a truth value (0 or 1) or bit-vector of up to 128 bits, after a check that said [`Outcome::Sat`].
    pub fn bits_value(&mut self, term: Handle) -> Option<u128> {
        if !self.is_sat || !matches!(self.shape(term), Shape::Bool | Shape::Bits(..=128)) {
            return None;
        }
        // SAFETY: solver and term are alive and of one manager, and the last answer was "satisfiable".
        let value = unsafe { ffi::bitwuzla_get_value(self.solver, self.raw(term)) };
        // SAFETY: the value is alive until it is released, which is done once and last.
        unsafe {
            let bits = read_bits(value);
            ffi::bitwuzla_term_release(value);
            bits
        }
    }

    /// The value of an array, after a check that said [`Outcome::Sat`].
    pub fn array_value(&mut self, term: Handle) -> Option<ArrayEntries> {
        if !self.is_sat || !matches!(self.shape(term), Shape::Array(..=128, ..=128)) {
            return None;
        }
        let mut entries = Vec::new();
        // SAFETY: as above; children are released once each, after they were read.
        unsafe {
            let mut current = ffi::bitwuzla_get_value(self.solver, self.raw(term));
            loop {
                let kind = ffi::bitwuzla_term_get_kind(current);
                let parts = children(current);
                ffi::bitwuzla_term_release(current);
                let release =
                    |parts: &[ffi::Term]| parts.iter().for_each(|&part| ffi::bitwuzla_term_release(part));
                match (kind, parts.as_slice()) {
                    (ARRAY_STORE, &[below, index, element]) => {
                        let entry = read_bits(index).zip(read_bits(element));
                        release(&[index, element]);
                        let Some(entry) = entry else {
                            release(&[below]);
                            return None;
                        };
                        entries.push(entry);
                        current = below;
                    }
                    (CONST_ARRAY, &[value]) => {
                        let default = read_bits(value);
                        release(&[value]);
                        return Some((default?, entries));
                    }
                    _ => {
                        release(&parts);
                        return None;
                    }
                }
            }
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: all are alive, and the manager, on which the solver depends, goes last.
        unsafe {
            ffi::bitwuzla_delete(self.solver);
            ffi::bitwuzla_term_manager_delete(self.manager);
        }
    }
}

/// The bits of a value.
///
/// # Safety
/// The term must be alive.
unsafe fn read_bits(value: ffi::Term) -> Option<u128> {
    // SAFETY: the term is alive; the text is copied before anything else is asked of Bitwuzla.
    unsafe {
        if ffi::bitwuzla_term_is_true(value) {
            return Some(1);
        }
        if ffi::bitwuzla_term_is_false(value) {
            return Some(0);
        }
        if !ffi::bitwuzla_term_is_bv_value(value) {
            return None;
        }
        let digits = CStr::from_ptr(ffi::bitwuzla_term_value_get_str_fmt(value, 16));
        u128::from_str_radix(digits.to_str().ok()?, 16).ok()
    }
}

/// The children of a term, each to be released by the caller.
///
/// # Safety
/// The term must be alive.
unsafe fn children(term: ffi::Term) -> Vec<ffi::Term> {
    let mut size = 0;
    // SAFETY: the term is alive; the list has that many entries until the next call, and is copied.
    unsafe {
        let list = ffi::bitwuzla_term_get_children(term, &mut size);
        if list.is_null() { Vec::new() } else { std::slice::from_raw_parts(list, size).to_vec() }
    }
}

/// The sort of an operator's result, if it takes such arguments.
fn result_of(kind: Kind, args: &[Shape]) -> Option<Shape> {
    match (kind, args) {
        (Kind::Not, [Shape::Bool]) => Some(Shape::Bool),
        (Kind::And | Kind::Or, [Shape::Bool, Shape::Bool]) => Some(Shape::Bool),
        (Kind::Equal, [a, b]) => (a == b).then_some(Shape::Bool),
        (Kind::Ite, [Shape::Bool, a, b]) => (a == b).then_some(*a),
        (Kind::Select, [Shape::Array(index, element), Shape::Bits(at)]) => {
            (index == at).then_some(Shape::Bits(*element))
        }
        (Kind::Store, [Shape::Array(index, element), Shape::Bits(at), Shape::Bits(value)]) => {
            (index == at && element == value).then_some(args[0])
        }
        (Kind::BvNot | Kind::BvNeg, [Shape::Bits(width)]) => Some(Shape::Bits(*width)),
        (Kind::BvConcat, [Shape::Bits(a), Shape::Bits(b)]) => Some(Shape::Bits(a + b)),
        (Kind::BvUlt | Kind::BvSlt, [Shape::Bits(a), Shape::Bits(b)]) => (a == b).then_some(Shape::Bool),
        (
            Kind::BvAdd
            | Kind::BvAnd
            | Kind::BvAshr
            | Kind::BvMul
            | Kind::BvOr
            | Kind::BvSdiv
            | Kind::BvShl
            | Kind::BvShr
            | Kind::BvSrem
            | Kind::BvUdiv
            | Kind::BvUrem
            | Kind::BvXor,
            [Shape::Bits(a), Shape::Bits(b)],
        ) => (a == b).then_some(Shape::Bits(*a)),
        (Kind::FpIsNan, [Shape::Float(..)]) => Some(Shape::Bool),
        (Kind::FpAbs | Kind::FpNeg, [Shape::Float(..)]) => Some(args[0]),
        (Kind::FpEqual | Kind::FpLt | Kind::FpLeq, [a @ Shape::Float(..), b]) => {
            (a == b).then_some(Shape::Bool)
        }
        (Kind::FpSqrt | Kind::FpRti, [Shape::Rounding, a @ Shape::Float(..)]) => Some(*a),
        (
            Kind::FpAdd | Kind::FpSub | Kind::FpMul | Kind::FpDiv,
            [Shape::Rounding, a @ Shape::Float(..), b],
        ) => (a == b).then_some(*a),
        (Kind::FpFma, [Shape::Rounding, a @ Shape::Float(..), b, c]) => (a == b && a == c).then_some(*a),
        _ => None,
    }
}
