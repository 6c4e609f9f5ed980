//! The ledger: everything that a verdict takes for granted, bounds, skips or does not understand. An empty ledger is a proof.
//!
//! Analyses compare entries, never their words. The words and the code of an entry stand in one list, and the code is what programs
//! that read reports may rely on.

use crate::Replay;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is done about a call whose code is not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Taken {
    /// Every effect is possible: what is refuted is refuted.
    Anything,
    /// No effect but its result: what is found may not happen.
    NoEffect,
}

impl fmt::Display for Taken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Taken::Anything => "may do anything",
            Taken::NoEffect => "is taken to leave memory alone",
        })
    }
}

/// Whom a call reaches, for the reader.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Callee {
    /// A function by its name.
    Named(String),
    /// Whatever a pointer leads to.
    Pointer,
}

impl fmt::Display for Callee {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Callee::Named(name) => write!(out, "{}()", as_written(name)),
            Callee::Pointer => out.write_str("a function that a pointer leads to"),
        }
    }
}

/// A function as the source calls it: compilers have names of their own for some (`llvm.memcpy.p0.p0.i64` is `memcpy`).
pub fn as_written(name: &str) -> &str {
    name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next()).unwrap_or(name)
}

/// What was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Limit {
    /// The steps of one question: the same on every machine.
    Steps,
    /// The work of one question: the same on every machine.
    Work,
    /// The time, of one question or of all.
    Time,
    /// The user's patience.
    Stopped,
}

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Limit::Steps => "steps",
            Limit::Work => "work",
            Limit::Time => "time",
            Limit::Stopped => "stopped by the user",
        })
    }
}

macro_rules! entries {
    ($($(#[$about:meta])* $name:ident $({ $($field:ident: $ty:ty),+ })? = $code:literal, $words:literal;)+) => {
        /// A line of the ledger.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Entry {
            $($(#[$about])* $name $({ $(#[doc = "As its name says."] $field: $ty),+ })?,)+
        }

        impl Entry {
            /// A name for programs, which stays when the words change.
            pub fn code(&self) -> &'static str {
                match self {
                    $(Entry::$name { .. } => $code,)+
                }
            }

            /// The codes of all entries.
            pub const CODES: &[&str] = &[$($code),+];
        }

        impl fmt::Display for Entry {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Entry::$name $({ $($field),+ })? => write!(out, $words),)+
                }
            }
        }
    };
}

entries! {
    // What the statement's own function says.
    /// Its condition is valid at a place above it.
    WheneverReached { line: u32 } = "whenever-reached", "it fails whenever it is reached, whatever holds at line {line}; whether it is reached was not decided";
    /// Its condition can be true at a place above it.
    FailsWhen { condition: String, line: u32 } = "fails-when", "it fails when {condition} at line {line}; not known whether that ever holds";
    /// Its condition cannot be true, whatever holds at a place above it.
    CannotFail { line: u32 } = "cannot-fail", "it cannot fail, whatever holds at line {line}";
    /// By its own function: what could be true in an earlier version cannot any more.
    CouldFailIn { version: String } = "could-fail-in", "by its own function alone it could fail in {version}, and here it cannot";

    // What ended the search.
    /// A budget ended it.
    BudgetUsedUp { limit: Limit } = "budget-used-up", "the budget is used up ({limit})";
    /// A condition had more terms than allowed.
    TooLarge = "too-large", "a condition grew too large";
    /// The solver gave up.
    NoAnswer = "solver-gave-up", "no answer from the solver";
    /// Only with objects at addresses that no allocator gives.
    UnusualAddresses = "unusual-addresses", "it is not found for objects at usual addresses";

    // What the version is like.
    /// Nothing at all could be read.
    VersionUnread = "version-unread", "nothing could be read of this version";
    /// Some files could not be read.
    PartsUnread = "parts-unread", "parts of this version could not be read";
    /// A file could not be read.
    FileUnread { file: String } = "file-unread", "{file} could not be read";
    /// The function is there as text alone.
    NotCompiled = "not-compiled", "the function is not compiled in this version";
    /// A function that a path goes through is there as text alone.
    WayNotCompiled = "way-not-compiled", "a function on the way is not compiled";
    /// A caller is there as text alone.
    CallerNotCompiled = "caller-not-compiled", "a caller is not compiled";
    /// The statement is not there.
    StatementGone = "statement-gone", "the statement is not in this version";
    /// The same statement elsewhere is judged.
    StatementMoved = "statement-moved", "the statement was moved";
    /// What took its place is judged.
    StatementReplaced { by: String } = "statement-replaced", "the statement was replaced: `{by}`";

    // Calls.
    /// A function without a body and without a contract.
    BodyMissing { function: String, taken: Taken } = "body-missing", "{function}() has no body and no contract: it {taken}";
    /// A call whose target is not known.
    ThroughPointer { taken: Taken } = "call-through-pointer", "a call through a pointer: it {taken}";
    /// Calls of unknown code, while versions are compared.
    SameUnknowns = "same-unknowns", "calls whose code is not seen are taken to do the same in all versions where they see the same";
    /// The only function that the program stores in the pointer.
    OnlyStored { function: String } = "only-stored", "a pointer is taken to lead to {function}(), the only function that the program stores there";
    /// A call that is not entered and may end the program.
    TakenToReturn { function: String } = "taken-to-return", "{function}() is taken to return";
    /// Calls are entered so many deep only.
    TooDeep { function: String } = "too-deep", "{function}() is not entered: too many calls inside each other";
    /// A function has too many callers, or too many above each other.
    CallersLeft { function: String } = "callers-left", "the callers of {function}() are not all followed";
    /// Inner calls of a recursive function.
    Recursion { function: String } = "recursion", "{function}() calls itself, and its inner calls are not followed";

    /// A call is a claim about what it does with its arguments, too.
    NotLookedInside { callee: Callee } = "not-looked-inside", "what {callee} does with its arguments was not looked at";
    /// A call that does too much.
    InsideLeft { function: String } = "inside-left", "not all that {function}() does was looked at";

    /// A function that makes objects may lose them, or its caller may.
    MemoryGiven { callee: Callee } = "memory-given", "whether memory that {callee} makes is lost was not looked at";
    /// What is known outside is lost as soon as nobody keeps its address any more.
    MayBeOverwritten = "may-be-overwritten", "an address is stored where one was stored before, and what lay there may be lost";
    /// Every path was refuted, and yet it happens.
    Contradicted = "contradicted", "every path was refuted, but a run fails there: what was taken for granted does not hold";
    /// What one call frees, the next one may use.
    MayDangle { variable: String } = "may-dangle", "the program frees what {variable} leads to and leaves the address there";
    /// Who calls a function back knows what it expects.
    CalledBack { function: String } = "called-back", "{function}() is called back, and is taken to get what it expects";
    /// What is made of null by moving it back passes a test for null.
    NullMoved = "null-moved", "a pointer that may be null is moved back before it is tested";
    /// Where a block ends is not followed.
    MayHaveEnded = "may-have-ended", "the address of a variable of an inner block is kept outside of it, and the block may have ended";
    /// A number that wraps or loses bits is a fault only where it becomes a size.
    NotSeenAsSize = "not-seen-as-size", "whether the number becomes the size of something is not seen";
    /// A negative number that was made one of 32 bits without a sign is a size of 2 GiB or more.
    LargeSize = "large-size", "the size may be 2 GiB or more, as a negative number of 32 bits is that lost its sign";

    // Loops.
    /// A witness is looked for in a few rounds only.
    LoopBounded = "loop-bounded", "a loop is followed a few rounds only";
    /// A loop that can be entered in several places.
    LoopEntries = "loop-entries", "a loop with several entries";
    /// What a loop leaves in a variable or in memory.
    LoopLeaves = "loop-leaves", "a loop leaves any value";

    // Values that are not followed.
    /// A value, or a write.
    NotFollowed = "not-followed", "a value or a write that is not followed";
    /// What a call leaves in memory.
    LeftBehind { callee: Callee } = "left-behind", "what {callee} leaves behind";
    /// What a call returns.
    Returned { callee: Callee } = "returned", "what {callee} returns";
    /// What a call writes, which is an input of the program.
    Written { callee: Callee } = "written", "what {callee} writes";
    /// Floating point.
    FloatingPoint = "floating-point", "floating-point arithmetic is not computed";
    /// Memory before its first write.
    NeverWritten = "never-written", "memory is read that was never written";
    /// A variable before its first write.
    ReadUnset { name: String } = "read-unset", "a value is read before it is set: {name}";
    /// Constants that are not numbers.
    ConstantTable = "constant-table", "the contents of a constant table are not followed";
    /// An object of a caller.
    SizeUnknown = "size-unknown", "the size of a caller's object is not known";

    // What comes in.
    /// The way from the beginning of the program is too long, but that from the function's own entry is not.
    ForSomeCaller { function: String } = "for-some-caller", "it happens for any caller of {function}() that passes what is shown; whether one does was not decided";
    /// Parameters and globals of the outermost function.
    AnyInput = "any-input", "the inputs of the outermost function are taken as any valid values";
    /// Nothing in the code says that it ever does.
    NullComesIn = "null-comes-in", "a null pointer must come in from outside";
    /// Nothing in the code says that it ever does.
    MemoryHoldsAnything = "memory-holds-anything", "the memory that the inputs lead to is taken to hold any values";
    /// What comes in as characters is a string, unless a length comes with it.
    TextsEnd = "texts-end", "texts that come in are taken to end inside of their objects";
    /// Characters that come in with their length.
    MayNotEnd { name: String } = "may-not-end", "whether {name} ends with a zero is not known: how long it is comes in beside it";
    /// Nothing in the program makes two such pointers lead to the same place (rule 4 of what may come in).
    AliasComesIn = "alias-comes-in", "two pointers that come in must lead to the same object, and nothing in the program makes them";
    /// A variable of which all stores are seen.
    VariableMustHold { variable: String } = "variable-must-hold", "{variable}, which only its own file sets, must hold more than it begins with";
    /// No store of the program puts it there (rule 2 of what may come in).
    MemberNeverHolds { member: String } = "member-never-holds", "{member} must hold what no store of the program puts there";
    /// A function without a body, of which the code that calls it expects that.
    MayGiveNull { function: String } = "may-give-null", "{function}() is taken to give null, which the code that calls it tests for";
    /// A claim without a path cannot be checked by the reader.
    NoPath = "no-path", "no path to it could be shown";
    /// By the machine: its input leads to something else.
    NotConfirmed { replay: Replay } = "not-confirmed", "{replay}";
    /// A left shift that C says nothing about and that compilers define counts where it is asked about.
    StrictAlone = "strict-alone", "left shifts of negative numbers, or out of their type, count although compilers go on there: `hydrogen run` ends there with --strict alone";
    /// The other version's input does harm here as well.
    SameInputFaults { version: String, what: String } = "same-input-faults", "the input that shows it in {version} ends with a fault here, too: {what}";
    /// The other version's input does no harm here, which says nothing of other inputs.
    SameInputHarmless { version: String } = "same-input-harmless", "the input that shows it in {version} does no harm here; whether another one does was not decided";
    /// What must come in for the fault is what the other version has a test for.
    TestedBy { version: String, line: u32 } = "tested-by", "what must come in is what line {line} of {version} tests for";
    /// A witness that an earlier version's does not contain.
    FewerStates = "fewer-states", "the change takes away states that had the fault; whether those that remain occur is not known";

    // Comparison with a fix.
    /// The version after the fix.
    TheFixItself = "the-fix-itself", "this version is the fix itself, so that by this measure it is right by definition";
    /// Another version's comparison starts at a line.
    ComparedFrom { line: u32 } = "compared-from", "compared from line {line} on";
    /// Whether the states of the fix reach the line was not found out.
    StatesPossible { line: u32 } = "states-possible", "the states at line {line} are taken as possible";
    /// They do not reach the line.
    StatesExcluded { line: u32 } = "states-excluded", "no state that the fix is about comes to line {line}";
    /// The program ends before, where it starts.
    EndsBefore { file: String, line: u32 } = "ends-before", "in these states the program ends at {file}:{line}, if it comes by there";
    /// A test of a number that wraps around.
    Wraps { line: u32 } = "wraps", "the number that line {line} computes for its test can wrap around, and what is let through then can have the fault";
    /// The operation is not there any more.
    OperationGone { operation: String } = "operation-gone", "the statement does no {operation} any more";
    /// Another operation that can fail is in its place.
    OperationReplaced { operation: String } = "operation-replaced", "the statement does no {operation} any more, but something else that can fail";
    /// There is no place to compare from.
    NoCut = "no-cut", "no cut point of the fix is in this version";
    /// Another way leads to the statement.
    AroundCut = "around-cut", "the statement can be reached around the cut point";
    /// Which operation is which is not clear.
    LookAlike = "look-alike", "several actions of the statement look alike";
    /// Nothing of the fix concerns the version.
    FixSilent = "fix-silent", "the fix says nothing about this version";
    /// From the cut point on.
    WayNotFollowed = "way-not-followed", "the way from the cut point to the statement is not fully followed";
    /// It makes other calls, whose effects have other names.
    OtherUnknowns { version: String } = "other-unknowns", "it differs from {version} only in what calls whose code is not seen leave behind, and that may be the same";
    /// Loops of the fix.
    FixBounded = "fix-bounded", "the fix is compared for a few rounds of its loops only, and that excludes the fault";
    /// The fix is there as it is.
    SameAsFixed = "same-as-fixed", "the functions that the fix changed are here as they are after it";
    /// The code that the fix changes is there as it was.
    SameAsBefore = "same-as-before", "the functions that the fix changes are here as they were before it";
    /// Nothing shows what the fix does for the statement: its code alone is compared.
    TakenAsFix = "taken-as-fix", "that the fix is one of this fault is taken from you: what it changes for the statement was not found out";
    /// Code that is neither as before the fix nor as after it.
    PartsOfFix { here: usize, brought: usize, left: usize, removed: usize } = "parts-of-fix", "of the {brought} statements that the fix brings {here} are here, and of the {removed} that it removes {left}";
    /// Where a fix shows that does not touch the statement.
    MeasuredAt { file: String, line: u32 } = "measured-at", "compared where the fix turns states away: {file}:{line}";
    /// What the statement gets from a function that the fix changed.
    Carried { name: String, function: String } = "carried", "compared by what {function}() gives to the statement: {name}";
    /// A variable that the other version does not have.
    NoCounterpart { name: String, version: String } = "no-counterpart", "{name} has no counterpart in {version}";
    /// Tests that the fix's version does not have.
    OtherConditions { line: u32, version: String } = "other-conditions", "conditions above line {line} are not those of {version}";

    // A release with a patch in it.
    /// It does not compile, or nothing of it was read.
    PatchedUnread = "patched-unread", "nothing could be read of the release with the patch";
    /// A hunk that belongs there and could not be put there.
    HunkWithoutPlace { hunk: usize } = "hunk-without-place", "hunk {hunk} applies, but there is no place for its lines";
    /// Nothing of the patch concerns the statement.
    NoHunkOnTheWay = "no-hunk-on-the-way", "no hunk on a way to the statement applies";
    /// The code of the patch is not there.
    PatchNotHere = "patch-not-here", "what the patch changes is not in this release";
    /// Without the statement nothing is shown.
    GoneWithPatch = "gone-with-patch", "the statement is gone with the patch; that alone is no fix";
    /// By its own measure every patch is right.
    FaultRefuted = "fault-refuted", "some of the states are left that the fix takes away, but every path to the fault itself was refuted";
    /// What the fix itself says is not all.
    FaultRemains = "fault-remains", "by its own measure the patch is right, but with it a path to the fault remains";
    /// The compiler refuses.
    PatchBreaksBuild { message: String } = "patch-breaks-build", "with the patch it does not compile: {message}";
    /// The result is not what the hunks promise.
    NotAsPredicted { function: String } = "not-as-predicted", "put in place statement by statement, the patch does not make {function}() what it should be";
    /// Lines did not match, statements did.
    ByStatements = "by-statements", "the patch's text does not apply; it was put in place statement by statement";
    /// Declarations, macros, globals.
    OutsideNotCarried { file: String } = "outside-not-carried", "what the patch changes outside functions of {file} is not in it";

    // Ordering rules.
    /// A pointer that may lead to the rule's function.
    RuleCallUnsure = "rule-call-unsure", "whether the call through a pointer is the rule's is not known";
    /// Other programs.
    CallersOutside { function: String } = "callers-outside", "callers of {function}() outside of the program are not seen";
    /// Calls whose targets are not known.
    PointersDoNotEnter { function: String } = "pointers-do-not-enter", "calls through pointers are taken not to enter {function}()";
    /// Files that could not be read.
    UnreadDoNotCall { function: String } = "unread-do-not-call", "files that could not be read are taken not to call {function}()";
    /// Files that could not be read.
    UnreadMayCall { function: String } = "unread-may-call", "files that could not be read may call {function}()";
    /// A static function without a caller.
    CallersHidden { function: String } = "callers-hidden", "whoever calls {function}() is not seen: it is static and nobody names it";
    /// A jump out of the function.
    LongJump = "longjmp", "longjmp() goes on where its setjmp() was";
    /// A pointer with several targets.
    SeveralTargets = "several-targets", "a call through a pointer may reach several functions";
    /// A pointer with any target.
    AnyTarget { text: String } = "any-target", "the call through `{text}` may reach any function";
    /// Code that is no C for us.
    CodeUnread { text: String } = "code-unread", "the code at `{text}` could not be read";
    /// A body that is no C for us.
    BodyUnread { function: String } = "body-unread", "the body of `{function}` could not be read";
    /// The path's own conditions.
    BranchesContradict = "branches-contradict", "every path that breaks the rule decides some condition two ways; whether it changes in between was not examined";
    /// Too many paths.
    SearchGivenUp = "search-given-up", "some path breaks the rule, but the search for one that can be shown was given up";
    /// Functions without a body.
    TakenNotToCall { second: String, functions: String } = "taken-not-to-call", "not in the program and taken not to call {second}(): {functions}";
    /// The path's own conditions.
    BranchesTogether = "branches-together", "the branches of the path are taken to be possible together";
}

impl Entry {
    /// Whether a call was passed whose target is not known and of which every effect had to be taken as possible.
    pub fn may_do_anything(&self) -> bool {
        matches!(self, Entry::ThroughPointer { taken: Taken::Anything })
    }

    /// What a person who knows the program could answer, so that a verdict can be given.
    pub fn question(&self) -> Option<String> {
        Some(match self {
            Entry::BodyMissing { function, .. } => {
                format!("what does {function}() do to memory? A contract in hydrogen.toml says it")
            }
            Entry::ThroughPointer { .. } => "which functions can the pointer on the way lead to?".into(),
            Entry::NullComesIn => {
                "can the pointer be null when it comes in? No code seen here says so".into()
            }
            Entry::AliasComesIn => "can the two pointers lead to the same object when they come in?".into(),
            Entry::MemberNeverHolds { member } => format!("can {member} hold that when it comes in?"),
            Entry::VariableMustHold { variable } => {
                format!("can {variable} hold that there? Only its own file sets it")
            }
            Entry::NotLookedInside { callee } => format!("what does {callee} do with what it is given?"),
            Entry::LargeSize => "are sizes of 2 GiB and more meant to be possible?".into(),
            Entry::NotSeenAsSize => "does the number become the size of something?".into(),
            Entry::NotConfirmed { replay: Replay::NotRun { .. } } => return None,
            Entry::NotConfirmed { .. } => {
                "is there an input that goes the whole path? The one that was made does not".into()
            }
            Entry::ForSomeCaller { function } => {
                format!(
                    "does a caller of {function}() pass what is shown? `entry_points` in hydrogen.toml names functions that anyone may call"
                )
            }
            Entry::SizeUnknown => "how large is the object that comes in?".into(),
            _ => return None,
        })
    }

    /// Whether a search was cut short by a limit that another run may set differently.
    pub fn is_cut(&self) -> bool {
        matches!(self, Entry::BudgetUsedUp { .. } | Entry::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique() {
        let mut codes = Entry::CODES.to_vec();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Entry::CODES.len());
    }

    #[test]
    fn words_name_the_data() {
        let entry = Entry::BodyMissing { function: "f".into(), taken: Taken::Anything };
        assert_eq!(
            (entry.code(), entry.to_string().as_str()),
            ("body-missing", "f() has no body and no contract: it may do anything")
        );
    }
}
