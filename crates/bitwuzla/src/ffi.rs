//! The functions of Bitwuzla's C interface that we use, and our shim's.

use std::{
    ffi::{c_char, c_int},
    marker::{PhantomData, PhantomPinned},
};

/// Something that only foreign code looks into.
#[repr(C)]
pub struct Opaque {
    _data: [u8; 0],
    _marker: PhantomData<(*mut u8, PhantomPinned)>,
}

pub type Manager = *mut Opaque;
pub type Options = *mut Opaque;
pub type Solver = *mut Opaque;
pub type Sort = *mut Opaque;
pub type Term = *mut Opaque;

/// `BITWUZLA_OPT_PRODUCE_MODELS`.
pub const PRODUCE_MODELS: c_int = 1;

/// `BITWUZLA_OPT_PP_VARIABLE_SUBST`. With it, what was turned into gates for one question is of no use for the next, which differs in what it
/// substitutes: up to four times slower along paths.
pub const SUBSTITUTE_VARIABLES: c_int = 46;

/// `BITWUZLA_OPT_PP_NORMALIZE`. It turns sums into gates to see whether another order of them saves any, and looks at no limit meanwhile: up to
/// five times the time of everything else for what analyses ask.
pub const NORMALIZE: c_int = 44;

unsafe extern "C" {
    pub fn bitwuzla_term_manager_new() -> Manager;
    pub fn bitwuzla_term_manager_delete(manager: Manager);
    pub fn bitwuzla_options_new() -> Options;
    pub fn bitwuzla_options_delete(options: Options);
    pub fn bitwuzla_set_option(options: Options, option: c_int, value: u64);
    pub fn bitwuzla_new(manager: Manager, options: Options) -> Solver;
    pub fn bitwuzla_delete(solver: Solver);

    pub fn bitwuzla_mk_bool_sort(manager: Manager) -> Sort;
    pub fn bitwuzla_mk_bv_sort(manager: Manager, width: u64) -> Sort;
    pub fn bitwuzla_mk_array_sort(manager: Manager, index: Sort, element: Sort) -> Sort;
    pub fn bitwuzla_mk_fun_sort(manager: Manager, arity: u64, domain: *const Sort, result: Sort) -> Sort;

    pub fn bitwuzla_mk_fp_sort(manager: Manager, exponent: u64, significand: u64) -> Sort;
    pub fn bitwuzla_mk_rm_sort(manager: Manager) -> Sort;
    pub fn bitwuzla_mk_rm_value(manager: Manager, mode: c_int) -> Term;
    pub fn bitwuzla_mk_true(manager: Manager) -> Term;
    pub fn bitwuzla_mk_false(manager: Manager) -> Term;
    pub fn bitwuzla_mk_bv_value_uint64(manager: Manager, sort: Sort, value: u64) -> Term;
    pub fn bitwuzla_mk_bv_value(manager: Manager, sort: Sort, digits: *const c_char, base: u8) -> Term;
    pub fn bitwuzla_mk_const(manager: Manager, sort: Sort, name: *const c_char) -> Term;
    pub fn bitwuzla_mk_const_array(manager: Manager, sort: Sort, value: Term) -> Term;
    pub fn bitwuzla_mk_term(manager: Manager, kind: c_int, count: u32, args: *const Term) -> Term;
    pub fn bitwuzla_mk_term_indexed(
        manager: Manager,
        kind: c_int,
        count: u32,
        args: *const Term,
        index_count: u32,
        indices: *const u64,
    ) -> Term;

    pub fn bitwuzla_push(solver: Solver, levels: u64);
    pub fn bitwuzla_pop(solver: Solver, levels: u64);
    pub fn bitwuzla_assert(solver: Solver, term: Term);
    pub fn bitwuzla_get_value(solver: Solver, term: Term) -> Term;

    pub fn bitwuzla_term_get_kind(term: Term) -> c_int;
    pub fn bitwuzla_term_get_children(term: Term, size: *mut usize) -> *mut Term;
    pub fn bitwuzla_term_is_bv_value(term: Term) -> bool;
    pub fn bitwuzla_term_is_true(term: Term) -> bool;
    pub fn bitwuzla_term_is_false(term: Term) -> bool;
    pub fn bitwuzla_term_value_get_str_fmt(term: Term, base: u8) -> *const c_char;
    pub fn bitwuzla_term_release(term: Term);

    pub fn hydrogen_bitwuzla_check(
        solver: Solver,
        milliseconds: u64,
        mebibytes: u64,
        most_work: u64,
        work: *mut u64,
        stop: *const bool,
    ) -> i32;
}
