//! What can go wrong with what a call is given.

use crate::judge::fault::Raise;
use crate::judge::operation::Deed;
use crate::judge::rooms::{is_member, room};
use crate::judge::signs::may_have_sign;
use crate::meaning::program::Callee;
use crate::meaning::shape::Shape;
use crate::meaning::state::{OWN, Role, Value};
use crate::meaning::unions::is_of_union;
use hydrogen_evidence::ledger::as_written;
use hydrogen_evidence::{Class, Entry};
use hydrogen_ir::{InstructionId, Op, Operand};
use hydrogen_library::{Clause, Contract, Factor, Library, texts};
use hydrogen_term::Term;

/// The functions that take back exactly what the heap gave; what a contract of the user's says to end need not be of the heap.
const ALLOCATORS: [&str; 3] = ["free", "realloc", "reallocarray"];

impl Raise<'_> {
    /// The texts among the arguments of a call that its format asks for, where it is known.
    fn texts_of_format(&self, name: &str, arguments: &[Operand]) -> Vec<hydrogen_library::Text> {
        // What a function does with its texts is the same for all tables of contracts.
        let at = Library::standard().format(name);
        let Some((at, Operand::Const(format))) = at.and_then(|at| Some((at, arguments.get(at)?))) else {
            return Vec::new();
        };
        self.shape.module.literal(*format).map_or(Vec::new(), |format| texts(format, at + 1))
    }

    /// Freed memory that is given away: whoever gets it can only use it, unless its contract says otherwise.
    fn given_freed(&mut self, contract: Option<&Contract>, name: &str, values: &[Value]) {
        for (at, value) in values.iter().enumerate() {
            let Value::Pointer(object, _) = *value else { continue };
            // Of what the contract speaks, its own clauses say what happens.
            if contract.is_some_and(|contract| contract.speaks_of(at)) {
                continue;
            }
            let terms = &mut *self.eval.terms;
            let (zero, freed) = (terms.word(0), terms.flag(Role::Freed, object, None));
            let there = terms.pool.ne(object, zero);
            let stale = terms.pool.and(there, freed);
            self.raise(Class::UseAfterFree, stale, format!("freed memory can be given to {name}"));
        }
    }

    /// What is freed is a variable, or is not the beginning of what the program itself allocated. Of what comes in nobody knows.
    fn no_heap_object(&mut self, object: Term, offset: Term, name: &str) {
        let terms = &mut *self.eval.terms;
        let (zero, own) = (terms.word(0), terms.word(OWN));
        let rooted = terms.rooted(object);
        let (mine, inside) = (terms.pool.uge(object, own), terms.pool.ne(offset, zero));
        let middle = terms.pool.and(mine, inside);
        let wrong = terms.pool.or(rooted, middle);
        let message = format!("what is given to {name}() can be no object of the heap, or its middle");
        self.raise(Class::DoubleFree, wrong, message);
    }

    /// More is written into an array inside of a structure than it has room for: the next member is hit, whatever room the object has.
    fn beside(&mut self, room: u64, bytes: Term, name: &str) {
        let most = self.eval.terms.word(room);
        let outside = self.eval.terms.pool.ult(most, bytes);
        let message = format!(
            "bytes are written by {name}() that can be outside of an array of {room} inside of its structure"
        );
        self.raise(Class::Overflow, outside, message);
    }

    /// A text that is read by whoever it is given to; null, where that is not printed as a text of its own.
    fn text(&mut self, argument: &Operand, (object, _): (Term, Term), name: &str, may_be_null: bool) {
        let freed = self.eval.terms.flag(Role::Freed, object, None);
        let null = self.is_null(argument, object);
        if is_of_union(self.shape, argument) {
            let number = self.eval.terms.is_no_object(object);
            let message = format!("the string given to {name}() can be a number, and no address");
            self.raise(Class::Overflow, number, message);
        }
        if !may_be_null {
            self.raise(Class::Null, null, format!("the string given to {name}() can be null"));
        }
        let message = format!("the string given to {name}() can be freed already");
        self.raise(Class::UseAfterFree, freed, message);
    }

    pub(super) fn call(&mut self, id: InstructionId, callee: &Operand, arguments: &[Operand]) {
        let values: Vec<Value> = arguments.iter().map(|one| self.eval.operand(one)).collect();
        let (named, through) = (self.shape.named(callee), self.through.get(&id));
        // What others hand over is theirs to set.
        if named.is_none()
            && is_of_variable(self.shape, callee)
            && let Value::Pointer(object, _) = self.eval.operand(callee)
        {
            let null = self.is_null(callee, object);
            self.raise(Class::Null, null, "the function that is called through a pointer can be null");
        }
        // What a function of the program does with its arguments is found inside of it.
        if named.is_some_and(|function| function.is_defined())
            || through.is_some_and(|whom| whom.callee != Callee::External)
        {
            return;
        }
        let named = named.map(|function| &function.name).or(through.map(|whom| &whom.name));
        let contract = named.and_then(|name| self.library.contract(name)).cloned();
        // The compiler's own functions are told what lives where.
        if contract.is_none() && named.is_some_and(|name| name.starts_with("llvm.")) {
            return;
        }
        let name = named.map_or("a function that a pointer leads to".to_owned(), |name| format!("{name}()"));
        self.given_freed(contract.as_ref(), &name, &values);
        let Some(contract) = contract else { return };
        let name = as_written(name.trim_end_matches("()")).to_owned();
        let pointer = |at: usize| match values.get(at) {
            Some(Value::Pointer(object, offset)) => Some((*object, *offset)),
            _ => None,
        };
        let (mut open, mut bounded) = (Vec::new(), Vec::new());
        for clause in &contract.clauses {
            let (at, bytes, how) = match clause {
                Clause::Reads(at, bytes) => (*at, self.eval.sum(bytes, &values), "read"),
                Clause::Writes(at, bytes) | Clause::Fills(at, bytes, _) | Clause::Copies(at, _, bytes) => {
                    (*at, self.eval.sum(bytes, &values), "written")
                }
                Clause::Sets(at, bytes) => {
                    let bytes =
                        self.eval.sum(bytes, &values).zip(pointer(*at)).map(|(bytes, (object, _))| {
                            let zero = self.eval.terms.word(0);
                            let null = self.eval.terms.pool.eq(object, zero);
                            self.eval.terms.pool.ite(null, zero, bytes)
                        });
                    (*at, bytes, "written")
                }
                // Strings that come in are taken to be terminated; see docs/soundness.md.
                Clause::Text(at) => {
                    if let Some(text) = pointer(*at) {
                        self.text(&arguments[*at], text, &name, false);
                        open.push(text);
                    }
                    continue;
                }
                Clause::Looks(at, most) => {
                    if let (Some(text), most) = (pointer(*at), self.eval.sum(most, &values)) {
                        self.text(&arguments[*at], text, &name, false);
                        bounded.extend(most.map(|most| (text, most)));
                    }
                    continue;
                }
                Clause::Needs(at) => {
                    if let Some((object, _)) = pointer(*at) {
                        let null = self.is_null(&arguments[*at], object);
                        self.raise(Class::Null, null, format!("what is given to {name}() can be null"));
                    }
                    continue;
                }
                Clause::Frees(at) => {
                    if let Some((object, offset)) = pointer(*at) {
                        let terms = &mut *self.eval.terms;
                        let freed = terms.flag(Role::Freed, object, None);
                        let zero = terms.word(0);
                        let there = terms.pool.ne(object, zero);
                        let twice = terms.pool.and(there, freed);
                        self.raise(Class::DoubleFree, twice, "the object can be freed already");
                        if ALLOCATORS.contains(&name.as_str()) {
                            self.no_heap_object(object, offset, &name);
                        }
                    }
                    continue;
                }
                Clause::Size(sum) => {
                    if let Some(bytes) = self.eval.sum(sum, &values) {
                        let zero = self.eval.terms.word(0);
                        let negative = self.eval.terms.pool.slt(bytes, zero);
                        let message = format!("a negative number can be the size given to {name}()");
                        let has_sign = sum.iter().flatten().any(|factor| match factor {
                            Factor::Parameter(at) => {
                                arguments.get(*at).is_none_or(|given| may_have_sign(self.shape, given))
                            }
                            _ => false,
                        });
                        match has_sign {
                            true => self.raise(Class::Sign, negative, message),
                            // What never had a sign is large, and not negative.
                            false => self.raise_unsure(Entry::LargeSize, Class::Sign, negative, message),
                        }
                        // Who makes a negative number one without a sign has a large one.
                        let pool = &mut self.eval.terms.pool;
                        let (from, to) = (pool.bits(64, 1 << 31), pool.bits(64, 1 << 32));
                        let (from, to) = (pool.uge(bytes, from), pool.ult(bytes, to));
                        let large = pool.and(from, to);
                        let message = format!("2 GiB or more can be the size given to {name}()");
                        self.raise_unsure(Entry::LargeSize, Class::Sign, large, message);
                    }
                    continue;
                }
                _ => continue,
            };
            // What is read is one operation and what is written another: one that stays open does not hide the other.
            self.operation.deed = if how == "read" { Deed::Read } else { Deed::Write };
            let mut whole = None;
            if let (Some(argument), Some(bytes)) = (arguments.get(at), bytes) {
                let (module, body) = (&self.shape.module, self.shape.body());
                let room = room(module, body, argument).filter(|_| how == "written");
                if let Some(room) = room {
                    self.beside(room.bytes, bytes, &name);
                }
                // Who has a pointer to a member has a pointer to the structure.
                let count = self.eval.terms.pool.as_bits(bytes).and_then(|bytes| u64::try_from(bytes).ok());
                if is_member(module, body, argument)
                    && let Some(count) = room.map(|_| 1).or(count)
                {
                    whole = self.whole(argument, count);
                }
            }
            if let (Some((object, offset)), Some(bytes)) = (pointer(at), bytes) {
                let null = self.is_null(&arguments[at], object);
                self.reach((object, null), offset, bytes, whole, &format!("{how} by {name}()"));
            }
            self.operation.deed = Deed::Call;
        }
        for format in self.texts_of_format(&name, arguments) {
            if let (Some(text), Some(argument)) = (pointer(format.argument), arguments.get(format.argument)) {
                // C says that it must not be null; libraries print "(null)", and much code relies on it.
                self.text(argument, text, &name, !self.strict);
                open.extend((!format.bounded).then_some(text));
            }
        }
        // What is read of a string comes after what is done with it: that is what a reader expects to be told first.
        let wanted = self.open_texts;
        for (object, offset) in open.into_iter().filter(|_| wanted) {
            let unended = self.eval.terms.unended(object, offset);
            let message = format!("the string given to {name}() can be without an end in its object");
            self.raise(Class::Overflow, unended, message);
        }
        for ((object, offset), most) in bounded.into_iter().filter(|_| wanted) {
            let terms = &mut *self.eval.terms;
            let unended = terms.unended(object, offset);
            let size = terms.size_now(&self.eval.effect.writes, object);
            let room = terms.pool.sub(size, offset);
            let further = terms.pool.ult(room, most);
            let outside = terms.pool.and(unended, further);
            let message = format!("{name}() can read behind the end of the object that it is given");
            self.raise(Class::Overflow, outside, message);
        }
    }
}

/// Whether a pointer is read from a global variable.
fn is_of_variable(shape: &Shape, pointer: &Operand) -> bool {
    let Operand::Instruction(id) = pointer else { return false };
    let Op::Load { pointer, .. } = shape.op(*id) else { return false };
    let mut current = pointer;
    while let Operand::Instruction(id) = current
        && let Op::ElementAddress { base, .. } = shape.op(*id)
    {
        current = base;
    }
    matches!(current, Operand::Const(_))
}
