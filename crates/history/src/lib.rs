//! Versions of a program: git refs, checkouts, builds and the content-addressed cache.
//!
//! A [`version::Version`] is named by the user (a ref, a range, a tag pattern, a directory, a bitcode file);
//! [`tree`] reads its files without a checkout, [`checkout`] materialises it in a private directory,
//! [`build`] finds out how its C files are compiled, and [`cache`] keeps what was computed from its content.
//!
//! The user's repository and work tree are only ever read.

pub mod build;
pub mod cache;
pub mod checkout;
pub mod config;
pub mod limits;
mod lock;
mod objects;
mod oid;
mod repository;
pub mod strange;
pub mod tree;
pub mod trial;
pub mod version;

pub use objects::Objects;
pub use oid::Oid;
pub use repository::Repository;
