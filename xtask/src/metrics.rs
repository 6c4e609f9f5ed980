//! How large the house is: `cargo xtask metrics [DIR]` prints it for any tree, so that two commits can be compared.

use crate::source::{File, Function, files, functions, words};
use crate::table::print;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;

/// What is counted of a crate.
#[derive(Default)]
struct Sum {
    files: usize,
    lines: usize,
    functions: usize,
    longest: (usize, String),
    long: usize,
    casts: usize,
    methods: BTreeMap<String, usize>,
}

impl Sum {
    fn add(&mut self, file: &File, all: &[Function]) {
        self.files += 1;
        self.lines += file.text.lines().count();
        self.functions += all.len();
        self.casts += casts(&file.code);
        for one in all {
            self.long += usize::from(one.lines > crate::tidy::LONG);
            if one.lines > self.longest.0 {
                self.longest = (one.lines, one.name.clone());
            }
            if let Some(of) = &one.of {
                *self.methods.entry(of.clone()).or_default() += 1;
            }
        }
    }

    fn row(&self, name: &str) -> Vec<String> {
        let most = self.methods.iter().max_by_key(|(name, count)| (**count, std::cmp::Reverse(*name)));
        let per_thousand = self.casts as f64 * 1000.0 / self.lines.max(1) as f64;
        vec![
            name.to_owned(),
            self.files.to_string(),
            self.lines.to_string(),
            self.functions.to_string(),
            self.long.to_string(),
            format!("{} {}", self.longest.0, self.longest.1),
            most.map_or(String::new(), |(name, count)| format!("{count} {name}")),
            format!("{per_thousand:.1}"),
        ]
    }
}

/// Conversions of numbers by `as`.
fn casts(code: &str) -> usize {
    let numbers = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
    ];
    let target = |at: usize| {
        let word: String =
            code[at + 2..].trim_start().chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        numbers.contains(&word.as_str())
    };
    words(code, "as").filter(|&at| target(at)).count()
}

/// Prints the table of a tree.
pub fn run(root: &Path) -> Result<()> {
    let mut by_crate: BTreeMap<String, Sum> = BTreeMap::new();
    let mut total = Sum::default();
    for file in files(root)? {
        let all = functions(&file);
        by_crate.entry(file.of.clone()).or_default().add(&file, &all);
        total.add(&file, &all);
        // Types of one name in two crates are two.
        total.methods.clear();
    }
    for (name, sum) in &by_crate {
        total.methods.extend(sum.methods.iter().map(|(of, count)| (format!("{name}::{of}"), *count)));
    }
    let mut rows: Vec<Vec<String>> = by_crate.iter().map(|(name, sum)| sum.row(name)).collect();
    rows.push(total.row("all"));
    let head =
        ["crate", "files", "lines", "functions", "> 120 lines", "longest", "most methods", "casts/1000"];
    print("metrics", &head, &rows);
    let mut types: Vec<(&String, &usize)> = total.methods.iter().filter(|(_, count)| **count > 40).collect();
    types.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    println!();
    print(
        "methods",
        &["type", "methods"],
        &types.iter().map(|(name, count)| vec![(*name).clone(), count.to_string()]).collect::<Vec<_>>(),
    );
    Ok(())
}
