//! The forms of answers that commands share.

use clap::ValueEnum;

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum TableFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum StatisticsFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For spreadsheets
    Csv,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ReadingName {
    /// Control returns to callers; deletions, declarations, types and macros count
    #[default]
    Full,
    /// As the published tool works, for comparison with published numbers
    Thesis,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum SeriesFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// One line per commit, for spreadsheets
    Csv,
    /// One page to look at, with a plot over time
    Html,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    /// Blocks with the versions of their edges
    #[default]
    Text,
    /// For graphviz
    Dot,
    /// For programs
    Json,
    /// One page to look at, without a server
    Html,
    /// The graph itself, as a compact file
    Hyg,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum InteractFormat {
    /// For people, with source
    #[default]
    Text,
    /// For graphviz
    Dot,
    /// For programs
    Json,
    /// One page to look at
    Html,
    /// The graph as a text file that reads back
    Csg,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum IrFormat {
    /// The text form, which parses back
    #[default]
    Text,
    /// For programs
    Json,
    /// Statement graphs for graphviz
    Dot,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum ChangeGranularity {
    /// Each statement
    Statement,
    /// A run of statements that stand together
    #[default]
    Region,
    /// All that changed in a function
    Function,
    /// All that changed in a file
    File,
}

impl From<ChangeGranularity> for hydrogen_interact::Granularity {
    fn from(chosen: ChangeGranularity) -> Self {
        match chosen {
            ChangeGranularity::Statement => Self::Statement,
            ChangeGranularity::Region => Self::Region,
            ChangeGranularity::Function => Self::Function,
            ChangeGranularity::File => Self::File,
        }
    }
}
