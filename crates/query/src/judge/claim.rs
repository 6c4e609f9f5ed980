//! Whether a witness is a finding: the one place where `present` is said by the fault itself.

use crate::judge::Shown;
use crate::judge::incoming::leads_twice;
use crate::judge::resolve::Witness;
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Evidence, Input, Replay, Value, Verdict};
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::layout::{parameter_type, plain};
use hydrogen_ir::{CType, Encoding};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// What is said of a version in which a witness was found, what shows it, and what that rests on. A witness that needs code to do what
    /// nobody knows, that has no path, that needs something to come in which nothing in the program lets in, or that a run does not
    /// confirm, is a question for a person: `unknown`.
    pub(crate) fn claim(
        &mut self,
        kind: Class,
        version: VersionId,
        witness: &Witness,
        shown: &Shown,
        statement: &[NodeId],
    ) -> (Verdict, Evidence, BTreeSet<Entry>) {
        let mut evidence = shown.evidence.clone();
        let mut ledger = witness.assumed.clone();
        ledger.insert(Entry::AnyInput);
        if kind == Class::Null && witness.null_comes_in {
            ledger.insert(Entry::NullComesIn);
        }
        if witness.alias_comes_in {
            ledger.insert(Entry::AliasComesIn);
        }
        if let Some(member) = witness.member_comes_in.clone() {
            ledger.insert(Entry::MemberNeverHolds { member });
        }
        if let Some(variable) = witness.variable_comes_in.clone() {
            ledger.insert(Entry::VariableMustHold { variable });
        }
        if evidence.path.is_empty() {
            ledger.insert(Entry::NoPath);
        }
        let rests_on = |entry: &&Entry| {
            entry.may_do_anything()
                || matches!(
                    entry,
                    Entry::NullComesIn
                        | Entry::AliasComesIn
                        | Entry::MemberNeverHolds { .. }
                        | Entry::VariableMustHold { .. }
                        | Entry::NoPath
                )
        };
        let replayed = self.replayed(kind, version, shown, statement);
        let input = replayed.as_ref().and_then(|(input, _)| input.as_ref());
        // Who frees something and uses it under another name was given it twice.
        if matches!(kind, Class::UseAfterFree | Class::DoubleFree) && input.is_some_and(leads_twice) {
            ledger.insert(Entry::AliasComesIn);
        }
        let mut needs: Vec<String> = ledger.iter().filter(rests_on).map(Entry::to_string).collect();
        if kind == Class::Sign && input.is_some_and(|input| self.is_huge_unsigned(version, shown, input)) {
            needs.push("an unsigned number of 2^63 or more must come in as a size".to_owned());
        }
        if let Some(variable) = input.and_then(|input| self.leads_to_static(input, version)) {
            needs.push(format!("a pointer must lead to {variable}, whose address nobody is given"));
        }
        if kind == Class::Overflow && witness.nothing_before {
            needs.push("a pointer must come in with nothing before it in its object".to_owned());
        }
        let mut verdict = if needs.is_empty() { Verdict::Present } else { Verdict::Unknown };
        if let Some((input, replay)) = replayed {
            let replay = match replay {
                Replay::Confirmed if !needs.is_empty() => Replay::ConfirmedIf { needs: needs.join(" and ") },
                other => other,
            };
            if replay != Replay::Confirmed {
                verdict = Verdict::Unknown;
                ledger.insert(Entry::NotConfirmed { replay: replay.clone() });
            }
            // A plain run goes on behind some of them.
            if kind == Class::Shift && replay == Replay::Confirmed {
                ledger.insert(Entry::StrictAlone);
            }
            ledger.extend(self.null_answers(input.as_ref()));
            (evidence.input, evidence.replay) = (input, Some(replay));
        }
        if verdict == Verdict::Present
            && let Some(function) = self.called_back(version, shown)
        {
            match self.carried_in(kind, version, shown, statement) {
                Some(ran) => (evidence.input, evidence.replay) = (Some(ran.input), Some(ran.replay)),
                None => {
                    verdict = Verdict::Unknown;
                    ledger.insert(Entry::ForSomeCaller { function });
                }
            }
        }
        (verdict, evidence, ledger)
    }

    /// Whether an input is only negative because an unsigned number that comes in is larger than any object: nobody who passes a size
    /// passes that, and whoever asks for so much memory gets none.
    fn is_huge_unsigned(&mut self, version: VersionId, shown: &Shown, input: &Input) -> bool {
        let Some(chain) = shown.arrival.frames.first().map(|(frame, _)| frame.chain) else { return false };
        let Some(shape) = self.shape(chain, version) else { return false };
        let (module, function) = (&shape.module, shape.function());
        let is_unsigned = |at: usize| {
            let ctype = parameter_type(module, function, at).map(|ctype| module.ctype(plain(module, ctype)));
            matches!(ctype, Some(CType::Basic { encoding: Encoding::Unsigned, size_bits: 64, .. }))
        };
        let arguments = input.call.iter().flat_map(|call| call.arguments.iter().enumerate());
        let mut numbers = arguments.filter_map(|(at, argument)| match &argument.value {
            Value::Number(number) => Some((at, number)),
            _ => None,
        });
        numbers.any(|(at, number)| number.width == 64 && number.signed() < 0 && is_unsigned(at))
    }

    /// The function that a witness begins in, where it is not called with anything.
    fn called_back(&mut self, version: VersionId, shown: &Shown) -> Option<String> {
        let chain = shown.arrival.frames.first().map(|(frame, _)| frame.chain)?;
        let is_asked_for = self.asking.entry == Some(chain);
        let called_back = !is_asked_for && self.is_called_back(chain, version);
        called_back.then(|| self.subject.program.graph.name(chain, version).to_owned())
    }
}
