//! Everything that a caller can see after a call: the result, the objects it gave, global variables, and what can be reached from there.
//! This is the one place that says so: partitions, searches for inputs, tests in C and whatever else compares calls look here.
//!
//! Values are named by the way to them, `p->next->n`, not by where they lie, so that two versions are comparable whose structures are
//! laid out differently. An object that the function made is named by the way on which it is first met, and so is a constant that no
//! other file can name: of those it counts what they hold. A string is shown as one. Of a function it counts its name and its code.

use crate::behind::{Code, code_of};
use crate::cover::cover;
use crate::observed::{by_value, given_back, number_text, result_slot, result_slots, result_type, target_of};
use crate::string::text_of;
use hydrogen_evidence::{Call, Made, Memory, Value};
use hydrogen_ir::layout::{Slot, SlotKind, pointee, size_of, slots, target_slots};
use hydrogen_ir::{CType, CTypeId, Function, Linkage, Module, is_stream};
use hydrogen_machine::{After, Left, result_words};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// What holds a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// A word of the result.
    Result(usize),
    /// An object, by its number in [`After::objects`].
    Object(usize),
    /// A global variable or a constant.
    Global(String),
}

/// The way to what holds a value, as code of the caller's would go it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// The result.
    Result,
    /// An object that the caller gave.
    Object(usize),
    /// A variable, by its name.
    Global(String),
    /// What a pointer leads to: what holds the pointer, where it lies there, and how far behind the beginning it leads.
    Behind(Arc<Way>, u64, i64),
}

impl Way {
    /// Whether it begins with what the caller has in its hands: a test in C needs no name for it.
    pub(crate) fn is_in_hand(&self) -> bool {
        match self {
            Way::Result | Way::Object(_) => true,
            Way::Global(_) => false,
            Way::Behind(way, ..) => way.is_in_hand(),
        }
    }
}

/// Where a pointer leads, as far as a test in C can say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leads {
    /// It is no pointer, it is null, or it leads into an object that the caller gave.
    Known,
    /// To a string: so many bytes behind the beginning of a constant of so many bytes.
    Text(u64, u64),
    /// To something else that is known.
    Elsewhere,
    /// It is not known where.
    Nowhere,
}

/// A value that a caller sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The way to it.
    pub path: String,
    /// What holds it.
    pub holder: Holder,
    /// Where in it, in bytes.
    pub at: u64,
    /// How many bytes; more than eight are what is not told one by one.
    pub bytes: u64,
    /// Whether it is a pointer: then the text says where it leads, and its bytes mean nothing.
    pub is_pointer: bool,
    /// Whether nobody has given it a value.
    pub is_undefined: bool,
    /// Its bits, where it is no pointer.
    pub bits: u64,
    /// The value as text.
    pub text: String,
    /// Whether it is another one than before the call.
    pub changed: bool,
    /// The code of the function that it leads to.
    pub code: Option<Code>,
    /// What holds it, where that is memory that the call made, or a constant.
    pub room: Option<Arc<Room>>,
    pub(crate) leads: Leads,
    /// Where it is read from, if a test in C can read it.
    pub(crate) way: Option<Arc<Way>>,
    /// What is read there.
    pub(crate) slot: Slot,
}

impl Seen {
    /// The value as a test in C prints it: it has no names for most of what pointers lead to.
    pub(crate) fn printed(&self) -> &str {
        match self.leads {
            Leads::Known | Leads::Text(..) => &self.text,
            Leads::Elsewhere | Leads::Nowhere => "elsewhere",
        }
    }

    /// Whether it is a floating-point number.
    pub fn is_float(&self) -> bool {
        self.slot.kind == SlotKind::Float
    }

    /// Whether it is a pointer of which it is not known where it leads.
    pub fn leads_nowhere(&self) -> bool {
        self.leads == Leads::Nowhere
    }
}

/// Memory that the call made, or a constant.
#[derive(Debug, PartialEq, Eq)]
pub struct Room {
    name: String,
    size: u64,
    element: u64,
}

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// The result, and what it leads to.
    pub result: bool,
    /// Memory.
    pub memory: bool,
    /// Variables that the call did not change too: what one holds may depend on the input all the same.
    pub unchanged: bool,
    /// Variables that are not looked at.
    pub ignored: &'a BTreeSet<String>,
}

impl Sight<'_> {
    const NOTHING: BTreeSet<String> = BTreeSet::new();
}

/// What a caller sees after a call, in a fixed order.
pub fn seen(module: &Module, function: &Function, call: &Call, after: &After) -> Vec<Seen> {
    let sight = Sight { result: true, memory: true, unchanged: true, ignored: &Sight::NOTHING };
    seen_by(sight, module, function, call, after)
}

/// The same of a part of it.
pub fn seen_by(
    sight: Sight<'_>,
    module: &Module,
    function: &Function,
    call: &Call,
    after: &After,
) -> Vec<Seen> {
    let names = (0..).zip(&call.objects).map(|(at, object)| (Holder::Object(at), object.name.clone()));
    let mut look = Look {
        module,
        call,
        after,
        names: names.collect(),
        ways: BTreeMap::new(),
        open: VecDeque::new(),
        found: Vec::new(),
        codes: BTreeMap::new(),
        room: None,
    };
    if sight.result {
        look.result(function);
    }
    if sight.memory {
        look.given(function);
        look.variables(sight);
    }
    while let Some((holder, name, target)) = look.open.pop_front() {
        look.behind(&holder, &name, target);
    }
    look.found
}

/// What a call changed, and its result.
pub fn changes(seen: &[Seen]) -> Memory {
    let mut memory = Memory::default();
    for one in seen.iter().filter(|one| one.changed) {
        memory.lines.push(format!("{} = {}", one.path, one.text));
        if let Some(room) = &one.room {
            let Room { name, size, element } = &**room;
            let (object, end) = (name.clone(), one.at + one.bytes);
            let made = Made { object, end, size: *size, element: *element, is_undefined: one.is_undefined };
            memory.made.insert(one.path.clone(), made);
        }
    }
    memory.lines.sort();
    memory
}

struct Look<'a> {
    module: &'a Module,
    call: &'a Call,
    after: &'a After,
    /// What was met is called so.
    names: BTreeMap<Holder, String>,
    /// The ways on which variables and new objects were met first.
    ways: BTreeMap<Holder, Arc<Way>>,
    /// What pointers lead to and was not looked at yet.
    open: VecDeque<(Holder, String, Option<CTypeId>)>,
    found: Vec<Seen>,
    codes: BTreeMap<String, Option<Code>>,
    /// What is looked at, where the call made it.
    room: Option<Arc<Room>>,
}

/// A pointer as it is told.
struct Pointer {
    text: String,
    leads: Leads,
    code: Option<Code>,
}

impl Pointer {
    fn new(text: impl Into<String>, leads: Leads) -> Self {
        Self { text: text.into(), leads, code: None }
    }
}

/// Where a pointer lies.
struct Place<'w> {
    path: &'w str,
    way: Option<&'w Arc<Way>>,
    at: u64,
    changed: bool,
}

impl Look<'_> {
    /// A structure that is the result: its members, where they lie.
    fn structure(&mut self, function: &Function, left: &Left) {
        let words = result_words(self.module, function);
        let object = match self.after.result.first() {
            Some(Value::Object(at, 0)) if words.is_empty() => Some(*at),
            _ => None,
        };
        let way = Some(Arc::new(Way::Result));
        for slot in result_slots(self.module, function) {
            let inside = |(from, bytes): &(u64, u64)| (*from..from + bytes).contains(&slot.at);
            let (holder, from) = match (object, words.iter().position(inside)) {
                (Some(at), _) => (Holder::Object(at), 0),
                (None, Some(word)) => (Holder::Result(word), words[word].0),
                (None, None) => continue,
            };
            self.slot(&slot, &holder, left, true, way.as_ref());
            if let Some(last) = self.found.last_mut() {
                last.at -= from;
            }
        }
        if let Some(at) = object {
            self.names.insert(Holder::Object(at), "result".into());
        }
    }

    fn result(&mut self, function: &Function) {
        if let Some(left) = given_back(self.module, function, self.after) {
            return self.structure(function, &left);
        }
        let own = result_slot(self.module, function);
        let target = result_type(self.module, function).and_then(|ctype| pointee(self.module, ctype));
        let way = own.is_some().then(|| Arc::new(Way::Result));
        for (word, value) in self.after.result.iter().enumerate() {
            let path = if own.is_some() { "result".to_owned() } else { format!("result, word {word}") };
            let slot = own.clone().unwrap_or(Slot {
                at: 0,
                bytes: 8,
                path: path.clone(),
                kind: SlotKind::Number { signed: false },
                ctype: CTypeId(0),
            });
            let is_number = matches!(value, Value::Number(_)) && slot.kind != SlotKind::Pointer;
            let bits = if let Value::Number(number) = value { number.bits } else { 0 };
            let pointer = match (is_number, &own) {
                (true, Some(_)) => Pointer::new(number_text(&slot, bits), Leads::Known),
                (true, None) => Pointer::new(format!("{bits:#x}"), Leads::Known),
                (false, _) => {
                    let place = Place { path: &path, way: way.as_ref(), at: 0, changed: true };
                    self.pointer(Some(value), &place, target)
                }
            };
            self.found.push(Seen {
                holder: Holder::Result(word),
                at: 0,
                bytes: slot.bytes,
                is_pointer: !is_number,
                is_undefined: false,
                bits,
                text: pointer.text,
                changed: true,
                code: pointer.code,
                room: None,
                leads: pointer.leads,
                way: way.clone(),
                slot,
                path,
            });
        }
    }

    /// The objects that the caller gave.
    fn given(&mut self, function: &Function) {
        for at in 0..self.call.objects.len() {
            let object = &self.call.objects[at];
            if object.is_stream() || by_value(self.module, function, self.call, at).is_some() {
                continue;
            }
            let target = target_of(self.module, function, self.call, at);
            let name = object.name.clone();
            self.object(at, &name, target, Some(Arc::new(Way::Object(at))));
        }
    }

    /// The variables of the program, and what they hold.
    fn variables(&mut self, sight: Sight<'_>) {
        let after = self.after;
        for (name, left) in after.globals.iter().filter(|(name, _)| !sight.ignored.contains(*name)) {
            let is_led_to = self.ways.contains_key(&Holder::Global(name.clone()));
            if left.changed.is_empty() && !sight.unchanged && !is_led_to {
                continue;
            }
            let holder = Holder::Global(name.clone());
            let way = self.ways.get(&holder).cloned();
            let way = way.unwrap_or_else(|| Arc::new(Way::Global(name.clone())));
            for slot in self.of_global(name, name, left) {
                let changed = left.is_changed(slot.at..slot.at + slot.bytes);
                self.slot(&slot, &holder, left, changed, Some(&way));
            }
        }
    }

    /// The values of a variable or constant.
    fn of_global(&self, global: &str, name: &str, left: &Left) -> Vec<Slot> {
        let ctype = self.after.users.get(global).and_then(|id| self.module.global(*id).ctype);
        let typed = |ctype| slots(self.module, ctype, name, crate::cover::MOST);
        let end = ctype.and_then(|ctype| size_of(self.module, ctype)).unwrap_or(0);
        cover(left, name, ctype.map_or(Vec::new(), typed), end)
    }

    /// What a pointer leads to.
    fn behind(&mut self, holder: &Holder, name: &str, target: Option<CTypeId>) {
        let way = self.ways.get(holder).cloned();
        let after = self.after;
        let left = match holder {
            Holder::Object(at) if *at < self.call.objects.len() => None,
            Holder::Object(at) => after.objects.get(*at).and_then(Option::as_ref),
            Holder::Global(global) => after.reached.get(global),
            Holder::Result(_) => None,
        };
        let element = target.and_then(|target| size_of(self.module, target)).unwrap_or(0);
        let room = |left: &Left| Room { name: name.to_owned(), size: left.bytes.len() as u64, element };
        self.room = left.map(room).map(Arc::new);
        match holder {
            Holder::Object(at) => self.object(*at, name, target, way),
            Holder::Global(global) => {
                let Some(left) = left else { return };
                let slots = match target {
                    // It has a name of its own, and is told by that.
                    Some(target) if name != global => self.elements(left, name, target),
                    _ => self.of_global(global, name, left),
                };
                for slot in slots {
                    self.slot(&slot, holder, left, true, way.as_ref());
                }
            }
            Holder::Result(_) => {}
        }
    }

    /// The values of memory that is told by the type of a pointer to it.
    fn elements(&self, left: &Left, name: &str, target: CTypeId) -> Vec<Slot> {
        if is_stream(self.module, target) {
            return Vec::new();
        }
        let Some(size) = size_of(self.module, target) else { return cover(left, name, Vec::new(), 0) };
        let count = left.bytes.len() as u64 / size.max(1);
        let typed = target_slots(self.module, target, name, count, crate::cover::MOST);
        cover(left, name, typed, count * size)
    }

    fn object(&mut self, at: usize, name: &str, target: Option<CTypeId>, way: Option<Arc<Way>>) {
        let given = self.call.objects.get(at);
        match self.after.objects.get(at) {
            Some(Some(left)) => {
                let slots = match target {
                    Some(target) => self.elements(left, name, target),
                    None => cover(left, name, Vec::new(), 0),
                };
                for slot in slots {
                    let before = given.map(|object| object.cells.iter().find(|cell| cell.at == slot.at));
                    let before = before.map(|cell| cell.map_or(Value::Null, |cell| cell.value.clone()));
                    let changed = match before {
                        None => true,
                        Some(_) if slot.bytes > 8 => {
                            !left.bytes[slot.at as usize..].iter().all(|byte| *byte == 0)
                        }
                        Some(before) => !holds(left, &slot, &before),
                    };
                    self.slot(&slot, &Holder::Object(at), left, changed, way.as_ref());
                }
            }
            Some(None) => self.found.push(Seen {
                path: format!("<{name}>"),
                holder: Holder::Object(at),
                at: 0,
                bytes: 0,
                is_pointer: true,
                is_undefined: false,
                bits: 0,
                text: "freed".into(),
                changed: true,
                code: None,
                room: None,
                leads: Leads::Known,
                way: None,
                slot: crate::cover::number(name, 0, 0),
            }),
            None => {}
        }
    }

    fn slot(&mut self, slot: &Slot, holder: &Holder, left: &Left, changed: bool, way: Option<&Arc<Way>>) {
        let (bits, found) = (bits(left, slot), pointer_at(left, slot));
        let is_undefined = left.is_undefined(slot.at..slot.at + slot.bytes);
        let is_pointer = slot.bytes <= 8 && (slot.kind == SlotKind::Pointer || found.is_some());
        let told = match found {
            _ if is_undefined => Pointer::new("undefined", Leads::Known),
            _ if slot.bytes > 8 => Pointer::new(crate::cover::rest(left, slot), Leads::Known),
            _ if !is_pointer => Pointer::new(number_text(slot, bits), Leads::Known),
            None if bits != 0 => nowhere(bits),
            found => {
                let place = Place { path: &slot.path, way, at: slot.at, changed };
                self.pointer(found, &place, pointee(self.module, slot.ctype))
            }
        };
        self.found.push(Seen {
            path: slot.path.clone(),
            holder: holder.clone(),
            at: slot.at,
            bytes: slot.bytes,
            is_pointer: is_pointer && !is_undefined,
            is_undefined,
            bits,
            text: told.text,
            changed,
            code: told.code,
            room: self.room.clone(),
            leads: told.leads,
            way: way.cloned(),
            slot: slot.clone(),
        });
    }

    fn pointer(&mut self, value: Option<&Value>, place: &Place<'_>, target: Option<CTypeId>) -> Pointer {
        match value {
            None | Some(Value::Null) => Pointer::new("NULL", Leads::Known),
            Some(Value::Number(number)) if number.bits == 0 => Pointer::new("NULL", Leads::Known),
            Some(Value::Number(number)) => nowhere(number.bits),
            Some(Value::Object(at, offset)) => {
                let name = self.meet(Holder::Object(*at), None, place, *offset, target);
                let is_given = *at < self.call.objects.len();
                let leads = if is_given { Leads::Known } else { Leads::Elsewhere };
                Pointer::new(format!("&<{name}> + {offset}"), leads)
            }
            Some(Value::Global(name, offset)) => self.global(name, *offset, place, target),
            Some(Value::Function(name)) => {
                let module = self.module;
                let code = match place.changed {
                    true => self.codes.entry(name.clone()).or_insert_with(|| code_of(module, name)).clone(),
                    false => None,
                };
                Pointer { text: name.clone(), leads: Leads::Elsewhere, code }
            }
        }
    }

    /// A pointer to a variable or constant: what callers can name has its name, else it counts what it holds.
    fn global(&mut self, name: &str, offset: i64, place: &Place<'_>, target: Option<CTypeId>) -> Pointer {
        let named = Pointer::new(format!("&{name} + {offset}"), Leads::Elsewhere);
        let holder = Holder::Global(name.to_owned());
        let after = self.after;
        let Some(left) = after.reached.get(name).filter(|_| place.changed) else {
            // A variable, which is told by its name.
            if let Some(way) = place.way.filter(|_| after.globals.contains_key(name)) {
                let way = || Arc::new(Way::Behind(Arc::clone(way), place.at, offset));
                self.ways.entry(holder).or_insert_with(way);
            }
            return named;
        };
        let global = after.users.get(name).map(|id| self.module.global(*id));
        let is_hidden = global.is_none_or(|global| global.private || global.linkage == Linkage::Internal);
        let is_text = target.is_none_or(|target| is_byte(self.module, target));
        if left.is_constant
            && is_hidden
            && is_text
            && let Some(text) = text_of(left, offset)
        {
            return Pointer::new(text, Leads::Text(offset.unsigned_abs(), left.bytes.len() as u64));
        }
        if is_hidden && left.is_constant {
            let name = self.meet(holder, None, place, offset, target);
            return Pointer::new(format!("&<{name}> + {offset}"), Leads::Elsewhere);
        }
        self.meet(holder, Some(name), place, offset, target);
        named
    }

    /// What a pointer leads to is called by its own name, or else by the way on which it is met first.
    fn meet(
        &mut self,
        holder: Holder,
        own: Option<&str>,
        place: &Place<'_>,
        offset: i64,
        target: Option<CTypeId>,
    ) -> String {
        if let Some(name) = self.names.get(&holder) {
            return name.clone();
        }
        let name = own.unwrap_or(place.path).to_owned();
        self.names.insert(holder.clone(), name.clone());
        if let Some(way) = place.way {
            let way = Arc::new(Way::Behind(Arc::clone(way), place.at, offset));
            self.ways.entry(holder.clone()).or_insert(way);
        }
        self.open.push_back((holder, name.clone(), target.filter(|_| offset == 0)));
        name
    }
}

/// A pointer that leads to nothing that is known. Small numbers and negative ones are marks that programs make; another one may be
/// the address of a variable of a call that is over.
fn nowhere(bits: u64) -> Pointer {
    let is_mark = bits < 1 << 32 || bits >> 63 == 1;
    match is_mark {
        true => Pointer::new(format!("{bits:#x}"), Leads::Elsewhere),
        false => Pointer::new("elsewhere", Leads::Nowhere),
    }
}

fn is_byte(module: &Module, ctype: CTypeId) -> bool {
    match module.ctype(hydrogen_ir::layout::plain(module, ctype)) {
        CType::Basic { size_bits, .. } => *size_bits == 8,
        CType::Void => true,
        _ => false,
    }
}

fn bits(left: &Left, slot: &Slot) -> u64 {
    let mut word = [0; 8];
    if slot.bytes <= 8
        && let Some(bytes) = left.bytes.get(slot.at as usize..(slot.at + slot.bytes) as usize)
    {
        word[..bytes.len()].copy_from_slice(bytes);
    }
    u64::from_le_bytes(word)
}

/// The pointer that a value is, if it is one.
fn pointer_at<'l>(left: &'l Left, slot: &Slot) -> Option<&'l Value> {
    left.pointers.get(&slot.at).filter(|_| slot.bytes == 8)
}

/// Whether a value that was there before the call still is.
fn holds(left: &Left, slot: &Slot, before: &Value) -> bool {
    let mask = if slot.bytes >= 8 { u64::MAX } else { (1 << (8 * slot.bytes)) - 1 };
    match (before, pointer_at(left, slot)) {
        (Value::Number(number), _) => bits(left, slot) == number.bits & mask,
        (Value::Null, _) => bits(left, slot) == 0,
        (before, Some(now)) => before == now,
        _ => false,
    }
}
