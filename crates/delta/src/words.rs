//! Terms as C, in the names of the source.
//!
//! What a term is called is noted while code is evaluated: the symbols of the beginning are variables, what a load gives is the place that it reads, what
//! a call gives is the call. Everything else is written down by its operators.

use crate::{
    cut::Cut,
    evaluate::{Symbol, is_signed},
    names::Records,
};
use hydrogen_ir::{
    BinaryOp, CType, CTypeId, Const, ConstExpr, ConstId, Encoding, Enumerator, InstructionId, IntPredicate,
    Module, Op as Code, Operand, RecordKind, Reference, Type,
    layout::{plain, pointee},
};
use hydrogen_sym::{
    Side,
    code::{Code as Nodes, Exit},
    context::Context,
    segment::{Did, Step},
};
use hydrogen_term::{Op, Pool, Sort, Term};
use rustc_hash::FxHashMap;

/// An expression with what is needed to put it into others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub text: String,
    /// How tightly it binds; C's levels, the larger the tighter.
    level: u8,
    /// Whether it is read with a sign, where that is known.
    signed: Option<bool>,
    /// Its type, and whose type that is.
    ctype: Option<(Side, CTypeId)>,
    /// Whether it holds something that has no name in C.
    pub is_opaque: bool,
}

const PRIMARY: u8 = 16;
const UNARY: u8 = 14;
const PRODUCT: u8 = 12;
const SUM: u8 = 11;
const SHIFT: u8 = 10;
const ORDER: u8 = 9;
const EQUAL: u8 = 8;
const BIT_AND: u8 = 7;
const BIT_XOR: u8 = 6;
const BIT_OR: u8 = 5;
const AND: u8 = 4;
const OR: u8 = 3;
const CHOICE: u8 = 2;

/// Named things have addresses from here on.
const FIRST_NAMED: u128 = 0x8_0000_0000;
const LAST_NAMED: u128 = 1 << 47;
/// Texts longer than this are not shown.
const LONGEST: usize = 160;
/// Literals are cut here.
const SHORT_LITERAL: usize = 40;
/// What is as short as this needs no other name.
const SHORT: usize = 48;

impl Text {
    fn new(text: String, level: u8) -> Self {
        Self { text, level, signed: None, ctype: None, is_opaque: false }
    }

    fn opaque() -> Self {
        Self { is_opaque: true, ..Self::new("…".to_owned(), PRIMARY) }
    }

    /// What binds tightest.
    pub fn plain(text: String) -> Self {
        Self::new(text, PRIMARY)
    }

    /// As what is called.
    pub fn within_call(&self) -> String {
        self.within(PRIMARY)
    }

    fn within(&self, level: u8) -> String {
        match self.level < level {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }
}

/// What a place in memory is called.
#[derive(Clone)]
pub(crate) struct Place {
    pub text: Text,
}

/// The names of terms.
pub(crate) struct Names<'c, 'm> {
    old: &'c Cut<'m>,
    new: &'c Cut<'m>,
    named: FxHashMap<Term, Text>,
    /// What was read from places, and what calls gave, by their names.
    read: FxHashMap<String, Term>,
    /// Comparisons of a number with another one that terms take apart, byte by byte.
    compounds: Vec<Term>,
    records: (Records, Records),
}

impl<'c, 'm> Names<'c, 'm> {
    /// Names for the symbols of a beginning, and for all that was read and asked on the way.
    pub fn new(
        context: &mut Context,
        (old, new): (&'c Cut<'m>, &'c Cut<'m>),
        symbols: &[Symbol],
        steps: [(&[Step], &[u64]); 2],
    ) -> Self {
        let records = (Records::of(old.code.module), Records::of(new.code.module));
        let mut names = Self {
            old,
            new,
            named: FxHashMap::default(),
            read: FxHashMap::default(),
            compounds: Vec::new(),
            records,
        };
        for symbol in symbols {
            if symbol.name.is_empty() || symbol.name.starts_with('#') {
                continue;
            }
            let name = symbol.name.split('#').next().unwrap_or(&symbol.name).to_owned();
            let module = names.module(symbol.side);
            let text = Text {
                signed: symbol.ctype.and_then(|one| is_signed(module, one)),
                ctype: symbol.ctype.map(|one| (symbol.side, one)),
                ..Text::new(name, PRIMARY)
            };
            names.read.entry(text.text.clone()).or_insert(symbol.term);
            names.named.entry(symbol.term).or_insert(text);
        }
        for (side, (_, addresses)) in [Side::Old, Side::New].into_iter().zip(&steps) {
            names.globals(context, side);
            names.objects(context, side, addresses);
        }
        let pool = &mut context.pool;
        // What both do is called as the new version calls it.
        for (side, (steps, _)) in [Side::Old, Side::New].into_iter().zip(steps).rev() {
            let mut reader = Reader::new(&mut names, pool, side);
            steps.iter().for_each(|step| reader.step(step));
        }
        names
    }

    /// Addresses of what the code mentions by name, and of literals.
    fn globals(&mut self, context: &mut Context, side: Side) {
        let code = &self.cut(side).code;
        let mut found = std::collections::BTreeSet::new();
        for frame in &code.frames {
            for instruction in &frame.body.instructions {
                instruction.op.references(|reference| {
                    if let Reference::Operand(Operand::Const(id)) = reference {
                        match code.module.constant(*id) {
                            Const::Global(_) | Const::Function(_) => {
                                found.insert(*id);
                            }
                            _ => {}
                        }
                    }
                });
            }
        }
        for id in found {
            let module = code.module;
            let address = match module.constant(id) {
                Const::Global(global) => match context.global_address(side, module, *global) {
                    Ok(address) => address,
                    Err(_) => continue,
                },
                Const::Function(function) => context.function_address(side, module, *function),
                _ => continue,
            };
            let text = constant_text(module, id);
            if !text.is_opaque {
                let term = context.word(address);
                self.named.entry(term).or_insert(text);
            }
        }
    }

    /// Addresses of local variables.
    fn objects(&mut self, context: &mut Context, side: Side, addresses: &[u64]) {
        let cut = self.cut(side);
        for (number, (id, name)) in cut.objects() {
            let Some(&address) = addresses.get(number as usize).filter(|_| !name.starts_with('#')) else {
                continue;
            };
            let variables = &cut.code.frames[0].body.variables;
            let ctype = variables.iter().find(|one| one.slot == Some(id)).and_then(|one| one.ctype);
            let is_array = ctype.is_some_and(|one| {
                matches!(cut.code.module.ctype(plain(cut.code.module, one)), CType::Array { .. })
            });
            let name = name.split('#').next().unwrap_or(&name);
            let text = match is_array {
                true => Text::new(name.to_owned(), PRIMARY),
                false => Text::new(format!("&{name}"), UNARY),
            };
            let term = context.word(address);
            self.named.entry(term).or_insert(text);
        }
    }

    fn module(&self, side: Side) -> &'m Module {
        self.cut(side).code.module
    }

    fn cut(&self, side: Side) -> &'c Cut<'m> {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }

    /// Comparisons that have names, and are more than one term.
    pub fn compounds(&self) -> &[Term] {
        &self.compounds
    }

    /// Whether a term has a name of its own.
    pub fn has(&self, term: Term) -> bool {
        self.named.contains_key(&term)
    }

    /// A term as C.
    pub fn text(&self, pool: &Pool, term: Term) -> Text {
        self.written(pool, term, 0)
    }

    fn written(&self, pool: &Pool, term: Term, depth: u32) -> Text {
        if let Some(named) = self.named.get(&term) {
            return named.clone();
        }
        if depth > 24 {
            return Text::opaque();
        }
        let text = self.by_operator(pool, term, depth + 1);
        match text.text.len() > LONGEST {
            true => Text::opaque(),
            false => text,
        }
    }

    fn by_operator(&self, pool: &Pool, term: Term, depth: u32) -> Text {
        let args = pool.args(term).to_vec();
        let part = |at: usize| self.written(pool, args[at], depth);
        let binary = |sign: &str, level: u8| {
            let (a, b) = (part(0), part(1));
            joined(&a, sign, &b, level)
        };
        match pool.op(term) {
            Op::Bool(value) => Text::new(u8::from(value).to_string(), PRIMARY),
            // An address of something that has no name here.
            Op::Bits(value) if pool.width(term) == 64 && (FIRST_NAMED..LAST_NAMED).contains(&value) => {
                Text::opaque()
            }
            Op::Bits(_) => number(pool, term),
            Op::Var(_) => Text::opaque(),
            Op::Not => self.denied(pool, args[0], depth),
            Op::And => binary("&&", AND),
            Op::Or => binary("||", OR),
            Op::Ite if pool.sort(term) == Sort::Bool => {
                let (c, a, b) = (part(0), part(1), part(2));
                chosen(&c, &a, &b)
            }
            Op::Ite => {
                let (c, a, b) = (part(0), part(1), part(2));
                let is_bit = |at: usize, value| pool.as_bits(args[at]) == Some(value);
                match is_bit(1, 1) && is_bit(2, 0) {
                    true => c,
                    false => Text {
                        signed: a.signed.or(b.signed),
                        ctype: a.ctype.or(b.ctype),
                        ..chosen(&c, &a, &b)
                    },
                }
            }
            Op::Eq => self.equal(pool, (args[0], args[1]), "==", depth),
            Op::Ult => self.ordered(pool, (args[0], args[1]), "<", false, depth),
            Op::Slt => self.ordered(pool, (args[0], args[1]), "<", true, depth),
            Op::BitNot => {
                let a = part(0);
                Text {
                    signed: a.signed,
                    is_opaque: a.is_opaque,
                    ..Text::new(format!("~{}", a.within(UNARY)), UNARY)
                }
            }
            Op::BitAnd => binary("&", BIT_AND),
            Op::BitOr => binary("|", BIT_OR),
            Op::BitXor => binary("^", BIT_XOR),
            Op::Add => self.sum(pool, &args, depth),
            Op::Mul => binary("*", PRODUCT),
            Op::Udiv => self.cast_both(pool, (args[0], args[1]), "/", PRODUCT, false, depth),
            Op::Urem => self.cast_both(pool, (args[0], args[1]), "%", PRODUCT, false, depth),
            Op::Sdiv => self.cast_both(pool, (args[0], args[1]), "/", PRODUCT, true, depth),
            Op::Srem => self.cast_both(pool, (args[0], args[1]), "%", PRODUCT, true, depth),
            Op::Shl => binary("<<", SHIFT),
            Op::Lshr => self.cast_both(pool, (args[0], args[1]), ">>", SHIFT, false, depth),
            Op::Ashr => self.cast_both(pool, (args[0], args[1]), ">>", SHIFT, true, depth),
            Op::Zext(_) | Op::Sext(_) => {
                let wants = matches!(pool.op(term), Op::Sext(_));
                let a = if wants { part(0) } else { self.masked(pool, args[0], depth) };
                match a.signed {
                    Some(signed) if signed != wants && a.level == PRIMARY => {
                        let width = pool.width(args[0]);
                        cast(&a, width, wants)
                    }
                    _ => Text { signed: a.signed.or(Some(wants)), ..a },
                }
            }
            Op::Concat if pool.as_bits(args[0]) == Some(0) => self.masked(pool, args[1], depth),
            Op::Extract { low, high } if low > 0 && high + 1 == pool.width(args[0]) => {
                let a = part(0);
                Text {
                    signed: Some(false),
                    is_opaque: a.is_opaque,
                    ..Text::new(format!("{} >> {low}", a.within(SHIFT)), SHIFT)
                }
            }
            // The lowest bit of a truth value is the truth value.
            Op::Extract { low: 0, high: 0 } => {
                let a = part(0);
                match self.is_truth(&a) {
                    true => a,
                    false => Text {
                        is_opaque: a.is_opaque,
                        ..Text::new(format!("{} & 1", a.within(BIT_AND)), BIT_AND)
                    },
                }
            }
            Op::Extract { low: 0, high } if high + 1 == 8 || high + 1 == 16 || high + 1 == 32 => {
                let a = part(0);
                let signed = a.signed.unwrap_or(true);
                cast(&a, high + 1, signed)
            }
            _ => Text::opaque(),
        }
    }

    /// A number of which only the lowest bits are left.
    fn masked(&self, pool: &Pool, term: Term, depth: u32) -> Text {
        match pool.op(term) {
            Op::Extract { low: 0, high } if !self.has(term) && ![7, 15, 31].contains(&high) && high < 63 => {
                let a = self.written(pool, pool.args(term)[0], depth);
                let mask = (1u128 << (high + 1)) - 1;
                let text = format!("{} & {mask}", a.within(BIT_AND));
                Text { is_opaque: a.is_opaque, signed: a.signed, ..Text::new(text, BIT_AND) }
            }
            _ => self.written(pool, term, depth),
        }
    }

    fn denied(&self, pool: &Pool, term: Term, depth: u32) -> Text {
        let args = pool.args(term).to_vec();
        match pool.op(term) {
            _ if self.named.contains_key(&term) => {
                let a = self.written(pool, term, depth);
                Text { is_opaque: a.is_opaque, ..Text::new(format!("!{}", a.within(UNARY)), UNARY) }
            }
            Op::Not => self.written(pool, args[0], depth),
            Op::Eq => self.equal(pool, (args[0], args[1]), "!=", depth),
            Op::Ult => self.ordered(pool, (args[0], args[1]), ">=", false, depth),
            Op::Slt => self.ordered(pool, (args[0], args[1]), ">=", true, depth),
            Op::And => {
                let (a, b) = (self.denied(pool, args[0], depth + 1), self.denied(pool, args[1], depth + 1));
                joined(&a, "||", &b, OR)
            }
            Op::Or => {
                let (a, b) = (self.denied(pool, args[0], depth + 1), self.denied(pool, args[1], depth + 1));
                joined(&a, "&&", &b, AND)
            }
            _ => {
                let a = self.written(pool, term, depth + 1);
                Text { is_opaque: a.is_opaque, ..Text::new(format!("!{}", a.within(UNARY)), UNARY) }
            }
        }
    }

    fn equal(&self, pool: &Pool, (a, b): (Term, Term), sign: &str, depth: u32) -> Text {
        // A constant stands on the right.
        let (a, b) = if pool.as_bits(a).is_some() || pool.as_bool(a).is_some() { (b, a) } else { (a, b) };
        if pool.sort(a) == Sort::Bool {
            let (x, y) = (self.written(pool, a, depth), self.written(pool, b, depth));
            return joined(&x, sign, &y, EQUAL);
        }
        if !matches!(pool.sort(a), Sort::Bits(_)) {
            return Text::opaque();
        }
        // What only became wider is compared as it was.
        if let (Op::Zext(_) | Op::Sext(_), Some(value)) = (pool.op(a), pool.as_bits(b)) {
            let inner = pool.args(a)[0];
            let width = pool.width(inner);
            let fits = match pool.op(a) {
                Op::Zext(_) => width < 128 && value >> width == 0,
                _ => {
                    let signed = pool.as_signed(b).unwrap_or(0);
                    width < 127 && signed >= -(1i128 << (width - 1)) && signed < (1i128 << (width - 1))
                }
            };
            if fits {
                let x = self.written(pool, inner, depth);
                if let Some(text) = self.truth(&x, sign).filter(|_| value == 0) {
                    return text;
                }
                let y = self.number_like(pool, b, &x, width);
                return joined(&x, sign, &y, EQUAL);
            }
        }
        let x = self.written(pool, a, depth);
        if let Some(text) = self.truth(&x, sign).filter(|_| pool.as_bits(b) == Some(0)) {
            return text;
        }
        if pool.as_bits(b) == Some(0) && x.ctype.is_some_and(|one| self.is_pointer(one)) {
            return joined(&x, sign, &Text::new("NULL".to_owned(), PRIMARY), EQUAL);
        }
        let y = self.number_like(pool, b, &x, pool.width(a));
        joined(&x, sign, &y, EQUAL)
    }

    /// A term beside another one: numbers as characters or with a sign, as the other one is read.
    fn number_like(&self, pool: &Pool, term: Term, other: &Text, width: u32) -> Text {
        let Some(value) = pool.as_bits(term).filter(|_| !self.has(term)) else {
            return self.written(pool, term, 0);
        };
        let is_char = other.ctype.is_some_and(|(side, ctype)| {
            let module = self.module(side);
            matches!(module.ctype(plain(module, ctype)), CType::Basic { name, .. } if name == "char")
        });
        if let (true, Ok(byte)) = (is_char, u8::try_from(value & 0xff))
            && (byte.is_ascii_graphic() || matches!(byte, 0 | b' ' | b'\n' | b'\t' | b'\r'))
        {
            let text = match byte {
                0 => "\\0".to_owned(),
                b'\n' => "\\n".to_owned(),
                b'\t' => "\\t".to_owned(),
                b'\r' => "\\r".to_owned(),
                b'\'' | b'\\' => format!("\\{}", char::from(byte)),
                _ => char::from(byte).to_string(),
            };
            return Text::new(format!("'{text}'"), PRIMARY);
        }
        if let Some(name) = other.ctype.and_then(|ctype| self.enumerator(ctype, value)) {
            return Text::new(name, PRIMARY);
        }
        if other.signed == Some(false) && width <= 64 {
            return unsigned(value & mask(width));
        }
        let value = value & mask(width);
        match width < 128 && value >> (width - 1) & 1 == 1 {
            true => Text { level: UNARY, ..Text::new((value as i128 - (1i128 << width)).to_string(), UNARY) },
            false => unsigned(value),
        }
    }

    /// The name of a value of an enumeration; new ones are named by the new version.
    fn enumerator(&self, (side, ctype): (Side, CTypeId), value: u128) -> Option<String> {
        let module = self.module(side);
        let CType::Enum { name, values, .. } = module.ctype(plain(module, ctype)) else { return None };
        let named = |values: &[Enumerator]| {
            values.iter().find(|one| u128::try_from(one.value) == Ok(value)).map(|one| one.name.clone())
        };
        // The same enumeration of the new version: by its tag, or by its first name where it has none.
        let in_new = self.new.code.module.ctypes.iter().find_map(|one| match one {
            CType::Enum { name: tag, values: others, .. }
                if tag == name && (tag.is_some() || values.first() == others.first()) =>
            {
                Some(others)
            }
            _ => None,
        });
        named(values).or_else(|| named(in_new?))
    }

    fn is_pointer(&self, (side, ctype): (Side, CTypeId)) -> bool {
        let module = self.module(side);
        matches!(module.ctype(plain(module, ctype)), CType::Pointer(_))
    }

    fn ordered(&self, pool: &Pool, (a, b): (Term, Term), sign: &str, signed: bool, depth: u32) -> Text {
        // `1 < x` reads better as `x > 1`.
        if pool.as_bits(a).is_some() && pool.as_bits(b).is_none() {
            let turned = if sign == "<" { ">" } else { "<=" };
            return self.compared(pool, (b, a), turned, signed, depth);
        }
        self.compared(pool, (a, b), sign, signed, depth)
    }

    fn compared(&self, pool: &Pool, (a, b): (Term, Term), sign: &str, signed: bool, depth: u32) -> Text {
        let (a, b) = match (pool.op(a), pool.as_bits(b)) {
            // What only became wider is compared as it was: the order is the same, whatever the sign.
            (Op::Zext(_), Some(value)) if value >> (pool.width(a) - 1) & 1 == 0 => (a, b),
            _ => (a, b),
        };
        let (x, y) = (self.written(pool, a, depth), self.written(pool, b, depth));
        let width = pool.width(a);
        let widened = |term: Term| matches!(pool.op(term), Op::Zext(_));
        let as_read = |text: &Text, term: Term| match text.signed {
            Some(one) if one != signed && !widened(term) && pool.as_bits(term).is_none() => {
                cast(text, width, signed)
            }
            _ => text.clone(),
        };
        let left = as_read(&x, a);
        let right = match pool.as_bits(b) {
            Some(_) => {
                let like = Text { signed: Some(signed), ..x.clone() };
                self.number_like(pool, b, &like, width)
            }
            None => as_read(&y, b),
        };
        joined(&left, sign, &right, ORDER)
    }

    fn cast_both(
        &self,
        pool: &Pool,
        (a, b): (Term, Term),
        sign: &str,
        level: u8,
        signed: bool,
        depth: u32,
    ) -> Text {
        let (x, y) = (self.written(pool, a, depth), self.written(pool, b, depth));
        let left = match x.signed {
            Some(one) if one != signed && pool.as_bits(a).is_none() => cast(&x, pool.width(a), signed),
            _ => x,
        };
        Text { signed: Some(signed), ..joined(&left, sign, &y, level) }
    }

    fn sum(&self, pool: &Pool, args: &[Term], depth: u32) -> Text {
        let mut positive: Vec<Text> = Vec::new();
        let mut negative: Vec<Text> = Vec::new();
        for &one in args {
            if let Some(value) = pool.as_signed(one) {
                if value < 0 && value > i128::MIN / 2 {
                    negative.push(unsigned(value.unsigned_abs()));
                } else {
                    positive.push(number(pool, one));
                }
                continue;
            }
            let factor = (pool.op(one) == Op::Mul).then(|| pool.as_signed(pool.args(one)[1])).flatten();
            match factor {
                Some(-1) => negative.push(self.written(pool, pool.args(one)[0], depth)),
                _ => positive.push(self.written(pool, one, depth)),
            }
        }
        // What has a name comes before numbers.
        positive.sort_by_key(|one| one.text.bytes().next().is_some_and(|byte| byte.is_ascii_digit()));
        let is_opaque = positive.iter().chain(&negative).any(|one| one.is_opaque);
        let signed = match positive.iter().chain(&negative).any(|one| one.signed == Some(false)) {
            true => Some(false),
            false => positive.iter().find_map(|one| one.signed),
        };
        let ctype = positive.iter().find_map(|one| one.ctype.filter(|&one| self.is_pointer(one)));
        if let Some(pointer) = ctype {
            return self.moved(pool, args, pointer, depth);
        }
        let mut text = positive.iter().map(|one| one.within(SUM)).collect::<Vec<_>>().join(" + ");
        if text.is_empty() {
            text.push('0');
        }
        for one in &negative {
            text += " - ";
            text += &one.within(PRODUCT);
        }
        Text { signed, is_opaque, ..Text::new(text, SUM) }
    }

    /// A pointer that was moved: C counts in elements, terms in bytes.
    fn moved(&self, pool: &Pool, args: &[Term], pointer: (Side, CTypeId), depth: u32) -> Text {
        let module = self.module(pointer.0);
        let target = pointee(module, pointer.1);
        let size = target.and_then(|one| hydrogen_ir::layout::size_of(module, one)).unwrap_or(1).max(1);
        let size = i128::from(size);
        let (mut base, mut steps, mut bytes) = (None, Vec::new(), 0);
        for &one in args {
            if let Some(value) = pool.as_signed(one) {
                bytes += value;
                continue;
            }
            let text = self.written(pool, one, depth);
            if text.ctype.is_some_and(|one| self.is_pointer(one)) {
                if text.is_opaque || base.replace(text).is_some() {
                    return Text::opaque();
                }
                continue;
            }
            let (step, factor) = match (pool.op(one), pool.args(one)) {
                (Op::Mul, [inner, factor]) if pool.as_signed(*factor).is_some() => {
                    (self.written(pool, *inner, depth), pool.as_signed(*factor).unwrap_or(1))
                }
                _ => (text, 1),
            };
            if factor % size != 0 || step.is_opaque {
                return Text::opaque();
            }
            steps.push((step, factor / size));
        }
        let Some(base) = base else { return Text::opaque() };
        if bytes % size != 0 || bytes >= 1 << 40 {
            let member = target.filter(|_| steps.is_empty()).zip(u64::try_from(bytes).ok());
            let path = member.and_then(|(one, offset)| self.member_at((pointer.0, one), offset));
            return path.map_or_else(Text::opaque, |path| {
                Text::new(format!("&{}->{path}", base.within(PRIMARY)), UNARY)
            });
        }
        let mut text = base.within(SUM);
        for (step, factor) in &steps {
            text += if *factor < 0 { " - " } else { " + " };
            text += &match factor.abs() {
                1 => step.within(PRODUCT),
                more => format!("{} * {more}", step.within(PRODUCT)),
            };
        }
        match bytes / size {
            0 => {}
            back @ ..0 => text += &format!(" - {}", back.abs()),
            on => text += &format!(" + {on}"),
        }
        Text { ctype: Some(pointer), ..Text::new(text, SUM) }
    }

    /// The way to the member at an offset, where both versions have the same one there.
    fn member_at(&self, (side, ctype): (Side, CTypeId), offset: u64) -> Option<String> {
        let here = member_path(self.module(side), ctype, offset)?;
        let (other, records) = match side {
            Side::Old => (Side::New, &self.records.1),
            Side::New => (Side::Old, &self.records.0),
        };
        let theirs = self.record_names(side, ctype).find_map(|name| records.named(name))?;
        (member_path(self.module(other), theirs, offset)? == here).then_some(here)
    }

    /// The names that a structure goes by.
    fn record_names(&self, side: Side, mut ctype: CTypeId) -> impl Iterator<Item = &'m str> + use<'m> {
        let module = self.module(side);
        let mut found = Vec::new();
        loop {
            match module.ctype(ctype) {
                CType::Typedef { name, target } => {
                    found.push(name.as_str());
                    ctype = *target;
                }
                CType::Qualified { target, .. } => ctype = *target,
                CType::Record { name, .. } => {
                    found.extend(name.as_deref());
                    // A name that only a `typedef` gives.
                    let is_it =
                        |one: &CType| matches!(one, CType::Typedef { target, .. } if *target == ctype);
                    found.extend(module.ctypes.iter().filter(|one| is_it(one)).filter_map(|one| match one {
                        CType::Typedef { name, .. } => Some(name.as_str()),
                        _ => None,
                    }));
                    return found.into_iter();
                }
                _ => return found.into_iter(),
            }
        }
    }

    /// Whether an expression is a truth value.
    fn is_truth(&self, text: &Text) -> bool {
        text.ctype.is_some_and(|(side, ctype)| {
            let module = self.module(side);
            let ctype = module.ctype(plain(module, ctype));
            matches!(ctype, CType::Basic { encoding: Encoding::Boolean, .. })
        })
    }

    /// A truth value compared with zero is itself, or its opposite.
    fn truth(&self, text: &Text, sign: &str) -> Option<Text> {
        let is_opaque = text.is_opaque;
        match sign {
            _ if !self.is_truth(text) => None,
            "!=" => Some(text.clone()),
            "==" => Some(Text { is_opaque, ..Text::new(format!("!{}", text.within(UNARY)), UNARY) }),
            _ => None,
        }
    }
}

/// The way to what lies at an offset of a structure: members by their names.
fn member_path(module: &Module, ctype: CTypeId, offset: u64) -> Option<String> {
    let CType::Record { kind: RecordKind::Struct, members, .. } = module.ctype(plain(module, ctype)) else {
        return None;
    };
    let holds = |one: &&hydrogen_ir::Member| {
        let first = one.offset_bits / 8;
        !one.bit_field && first <= offset && offset < first + (one.size_bits / 8).max(1)
    };
    let member = members.iter().find(holds)?;
    let rest = offset - member.offset_bits / 8;
    let inner = member_path(module, member.ty, rest);
    match (member.name.as_str(), rest, inner) {
        ("", _, inner) => inner,
        (name, 0, _) => Some(name.to_owned()),
        (name, _, Some(inner)) => Some(format!("{name}.{inner}")),
        _ => None,
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

fn unsigned(value: u128) -> Text {
    let text = match value {
        0..=99_999 => value.to_string(),
        _ if value.is_power_of_two() || (value + 1).is_power_of_two() => format!("{value:#x}"),
        _ => value.to_string(),
    };
    Text::new(text, PRIMARY)
}

fn number(pool: &Pool, term: Term) -> Text {
    let (value, signed) = (pool.as_bits(term).unwrap_or(0), pool.as_signed(term).unwrap_or(0));
    match signed < 0 && pool.width(term) > 1 {
        true if pool.width(term) >= 32 || signed > -100 => Text::new(signed.to_string(), UNARY),
        _ => unsigned(value),
    }
}

fn joined(a: &Text, sign: &str, b: &Text, level: u8) -> Text {
    // Two things that have one name are not told apart by it.
    if matches!(level, EQUAL | ORDER) && a.text == b.text {
        return Text::opaque();
    }
    // The same operator again needs no parentheses on the left; mixed ones get them where people stumble.
    let mixed = |one: &Text| match level {
        OR => one.level == AND,
        BIT_AND | BIT_XOR | BIT_OR => one.level < UNARY && one.level != level,
        _ => false,
    };
    let wrap = |one: &Text, tight: u8| match mixed(one) {
        true => format!("({})", one.text),
        false => one.within(tight),
    };
    let right = if matches!(level, AND | OR) { level } else { level + 1 };
    let signed = match a.signed == Some(false) || b.signed == Some(false) {
        true => Some(false),
        false => a.signed.or(b.signed),
    };
    Text {
        signed: signed.filter(|_| level >= SHIFT || (BIT_OR..=BIT_AND).contains(&level)),
        is_opaque: a.is_opaque || b.is_opaque,
        ..Text::new(format!("{} {sign} {}", wrap(a, level), wrap(b, right)), level)
    }
}

fn chosen(c: &Text, a: &Text, b: &Text) -> Text {
    Text {
        is_opaque: c.is_opaque || a.is_opaque || b.is_opaque,
        ..Text::new(format!("{} ? {} : {}", c.within(OR), a.within(OR), b.within(OR)), CHOICE)
    }
}

fn cast(text: &Text, width: u32, signed: bool) -> Text {
    let name = match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        _ => return Text::opaque(),
    };
    Text {
        signed: Some(signed),
        is_opaque: text.is_opaque,
        ..Text::new(format!("({name}){}", text.within(UNARY)), UNARY)
    }
}

/// Reads what one side did, and names it.
/// Reads what steps do, one after the other, and names what they give.
pub(crate) struct Reader<'n, 'c, 'm> {
    names: &'n mut Names<'c, 'm>,
    pool: &'n mut Pool,
    side: Side,
    /// What addresses lead to, by the instruction that computes them.
    places: FxHashMap<(u32, InstructionId), Place>,
    /// What instructions gave.
    terms: FxHashMap<(u32, InstructionId), Term>,
}

impl<'n, 'c, 'm> Reader<'n, 'c, 'm> {
    pub fn new(names: &'n mut Names<'c, 'm>, pool: &'n mut Pool, side: Side) -> Self {
        Self { names, pool, side, places: FxHashMap::default(), terms: FxHashMap::default() }
    }

    pub fn module(&self) -> &'m Module {
        self.names.module(self.side)
    }

    /// The statement that a step is a part of, in the words of the source.
    pub fn statement(&self, step: &Step) -> Option<&'m str> {
        let cut = self.names.cut(self.side);
        let node = cut.node_of.get(step.id.index()).filter(|_| step.frame == 0)?;
        Some(cut.statement(*node).text.as_str())
    }

    pub fn code(&self) -> &Nodes<'m> {
        &self.names.cut(self.side).code
    }

    pub fn step(&mut self, step: &Step) {
        let op = self.code().op(step.frame, step.id);
        let is_condition = self.is_condition(step);
        match &step.did {
            Did::Gives(term) => {
                self.terms.insert((step.frame, step.id), *term);
                match op {
                    Code::Load { pointer, .. } => {
                        if let Some(place) = self.place(step.frame, pointer) {
                            let place = self.first(place);
                            self.loaded(*term, place.text);
                            self.parts(*term);
                        }
                    }
                    Code::ElementAddress { source, base, indices, .. } => {
                        let Some(place) = self.element(step.frame, base, *source, indices) else { return };
                        self.places.insert((step.frame, step.id), place.clone());
                        let is_array = place.text.ctype.is_some_and(|(side, ctype)| {
                            let module = self.names.module(side);
                            matches!(module.ctype(plain(module, ctype)), CType::Array { .. })
                        });
                        let text = match (is_array, place.text.text.strip_suffix("[0]")) {
                            (true, _) => place.text.text.clone(),
                            (false, Some(array)) => array.to_owned(),
                            (false, None) => format!("&{}", place.text.text),
                        };
                        self.name(*term, Text { is_opaque: place.text.is_opaque, ..Text::new(text, UNARY) });
                    }
                    Code::Binary { op, left, right, .. } => {
                        let (op, left, right) = (*op, left.clone(), right.clone());
                        self.computed(step.frame, *term, op, &left, &right);
                    }
                    Code::IntCompare { predicate, left, right } => {
                        let (predicate, left, right) = (*predicate, left.clone(), right.clone());
                        self.comparison(step.frame, *term, predicate, &left, &right);
                    }
                    _ => {}
                }
                if is_condition {
                    self.condition(step, *term);
                }
                self.cases(step, *term);
            }
            Did::Asks { question, results, .. } => {
                let text = self.call(step, &question.name, results.first().copied());
                if let Some(&first) = results.first()
                    && matches!(self.pool.sort(first), Sort::Bits(_))
                    && !matches!(self.names.module(self.side).types.get(self.type_of(step)), Type::Void)
                {
                    self.terms.insert((step.frame, step.id), first);
                    self.name(first, text);
                }
            }
            Did::Writes { .. } => {}
        }
    }

    fn type_of(&self, step: &Step) -> hydrogen_ir::TypeId {
        self.code().frames[step.frame as usize].body.instruction(step.id).ty
    }

    /// What was read is called as the place that it was read from, if it has no words of its own, and nothing else was read from there before: a name stands
    /// for what is there when the region begins.
    fn loaded(&mut self, term: Term, text: Text) {
        let own = self.names.text(self.pool, term);
        if !own.is_opaque && own.text.len() <= SHORT {
            return;
        }
        if self.names.read.get(&text.text).is_some_and(|before| *before != term) {
            return;
        }
        self.names.read.insert(text.text.clone(), term);
        self.name(term, text);
    }

    /// The lower parts of a number that was read, and its bytes: terms forget that they were read together.
    fn parts(&mut self, term: Term) {
        let (Sort::Bits(width), Some(text)) = (self.pool.sort(term), self.names.named.get(&term).cloned())
        else {
            return;
        };
        if !matches!(self.pool.op(term), Op::Concat) || width > 64 {
            return;
        }
        for part in [32, 16, 8].into_iter().filter(|part| *part < width) {
            let low = self.pool.truncate(term, part);
            self.name(low, cast(&text, part, true));
        }
        for at in 1..width / 8 {
            let byte = self.pool.extract(term, at * 8 + 7, at * 8);
            let shifted = Text::new(format!("{} >> {}", text.within(SHIFT), at * 8), SHIFT);
            let text = Text::new(format!("{} & 255", shifted.within(UNARY)), BIT_AND);
            self.name(byte, Text { signed: Some(false), ..text });
        }
    }

    fn name(&mut self, term: Term, text: Text) {
        // Numbers are numbers, but for addresses of what has a name; and what has a name keeps it.
        let is_number = self.pool.as_bits(term).is_some_and(|bits| bits < FIRST_NAMED);
        if is_number || text.is_opaque || text.text.len() > LONGEST {
            return;
        }
        self.names.named.entry(term).or_insert(text);
    }

    /// What an operator gives is called as it is written, where its term has no form that reads as well.
    fn computed(&mut self, frame: u32, term: Term, op: BinaryOp, left: &Operand, right: &Operand) {
        if !self.names.text(self.pool, term).is_opaque {
            return;
        }
        let (sign, level, signed) = match op {
            BinaryOp::Add | BinaryOp::FAdd => ("+", SUM, None),
            BinaryOp::Sub | BinaryOp::FSub => ("-", SUM, None),
            BinaryOp::Mul | BinaryOp::FMul => ("*", PRODUCT, None),
            BinaryOp::SDiv => ("/", PRODUCT, Some(true)),
            BinaryOp::UDiv => ("/", PRODUCT, Some(false)),
            BinaryOp::FDiv => ("/", PRODUCT, None),
            BinaryOp::SRem => ("%", PRODUCT, Some(true)),
            BinaryOp::URem => ("%", PRODUCT, Some(false)),
            BinaryOp::Shl => ("<<", SHIFT, None),
            BinaryOp::LShr => (">>", SHIFT, Some(false)),
            BinaryOp::AShr => (">>", SHIFT, Some(true)),
            BinaryOp::And => ("&", BIT_AND, None),
            BinaryOp::Or => ("|", BIT_OR, None),
            BinaryOp::Xor => ("^", BIT_XOR, None),
            BinaryOp::FRem => return,
        };
        let (a, b) = (self.operand(frame, left), self.operand(frame, right));
        let width = self.pool.width(term);
        let a = match (signed, a.signed) {
            (Some(wants), Some(is)) if wants != is => cast(&a, width, wants),
            _ => a,
        };
        let text = joined(&a, sign, &b, level);
        let text = Text { signed: signed.or(text.signed), ..text };
        self.name(term, text);
    }

    /// A comparison is called what it compares, and so is its opposite: a solver would see it as one of many bytes.
    fn comparison(
        &mut self,
        frame: u32,
        term: Term,
        predicate: IntPredicate,
        left: &Operand,
        right: &Operand,
    ) {
        let (sign, denied, signed) = match predicate {
            IntPredicate::Eq => ("==", "!=", None),
            IntPredicate::Ne => ("!=", "==", None),
            IntPredicate::Ugt => (">", "<=", Some(false)),
            IntPredicate::Uge => (">=", "<", Some(false)),
            IntPredicate::Ult => ("<", ">=", Some(false)),
            IntPredicate::Ule => ("<=", ">", Some(false)),
            IntPredicate::Sgt => (">", "<=", Some(true)),
            IntPredicate::Sge => (">=", "<", Some(true)),
            IntPredicate::Slt => ("<", ">=", Some(true)),
            IntPredicate::Sle => ("<=", ">", Some(true)),
        };
        let holds = self.pool.bits_to_bool(term);
        let fails = self.pool.not(holds);
        // What terms say by themselves they say well.
        if self.pool.as_bool(holds).is_some()
            || matches!(self.pool.op(holds), Op::Slt | Op::Ult | Op::Var(_))
            || matches!(self.pool.op(fails), Op::Slt | Op::Ult)
        {
            return;
        }
        let (Some(a), Some(b)) = (self.compared(frame, left), self.compared(frame, right)) else { return };
        let (x, y) = (self.names.text(self.pool, a), self.names.text(self.pool, b));
        let width = self.pool.width(a);
        let like = |text: &Text| Text { signed: signed.or(text.signed), ..text.clone() };
        let (x, y) = match (self.pool.as_bits(a), self.pool.as_bits(b)) {
            (None, Some(0)) if x.ctype.is_some_and(|one| self.names.is_pointer(one)) => {
                (x, Text::new("NULL".to_owned(), PRIMARY))
            }
            (None, Some(_)) => {
                let y = self.names.number_like(self.pool, b, &like(&x), width);
                (x, y)
            }
            _ => (x, y),
        };
        let level = if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) { EQUAL } else { ORDER };
        for (term, sign) in [(holds, sign), (fails, denied)] {
            let truth = self.names.truth(&x, sign).filter(|_| self.pool.as_bits(b) == Some(0));
            let text = truth.unwrap_or_else(|| joined(&x, sign, &y, level));
            self.compound(term, &text);
            self.name(term, text);
        }
    }

    /// The cases of a `switch` over what a step gives.
    fn cases(&mut self, step: &Step, term: Term) {
        let cut = self.names.cut(self.side);
        let node = cut
            .node_of
            .get(step.id.index())
            .filter(|_| step.frame == 0)
            .and_then(|&at| cut.code.nodes.get(at));
        let Some(Exit::Terminator(id)) = node.map(|node| node.exit) else { return };
        let Code::Switch { value: Operand::Instruction(value), cases, .. } = cut.code.op(0, id) else {
            return;
        };
        if *value != step.id {
            return;
        }
        let text = self.names.text(self.pool, term);
        for case in cases {
            let Some(constant) = self.compared(0, &Operand::Const(case.value)) else { continue };
            let equal = self.pool.eq(term, constant);
            let number = self.names.number_like(self.pool, constant, &text, self.pool.width(term));
            let words = joined(&text, "==", &number, EQUAL);
            self.compound(equal, &words);
            self.name(equal, words);
        }
    }

    /// Notes a comparison that terms take apart.
    fn compound(&mut self, term: Term, text: &Text) {
        let is_apart = matches!(self.pool.op(term), Op::And | Op::Or);
        if is_apart && !text.is_opaque && !self.names.compounds.contains(&term) {
            self.names.compounds.push(term);
        }
    }

    /// Whether what a step gives decides where its statement goes on.
    fn is_condition(&self, step: &Step) -> bool {
        let cut = self.names.cut(self.side);
        let Some(&node) = cut.node_of.get(step.id.index()).filter(|_| step.frame == 0) else { return false };
        let Some(node) = cut.code.nodes.get(node) else { return false };
        let Exit::Terminator(id) = node.exit else { return false };
        matches!(cut.code.op(0, id), Code::Branch { condition: Operand::Instruction(one), .. } if *one == step.id)
    }

    /// A condition that has no other words is called as the source writes it, with its line: it means what it means there.
    fn condition(&mut self, step: &Step, term: Term) {
        let cut = self.names.cut(self.side);
        let node = cut.node_of[step.id.index()];
        let piece = cut.statement(node);
        let (Some(line), text) = (cut.line(node), &piece.text) else { return };
        let Some(is_as_written) = cut.is_as_written(node) else { return };
        let holds = self.pool.bits_to_bool(term);
        let holds = if is_as_written { holds } else { self.pool.not(holds) };
        let (is_turned, inner) = match self.pool.op(holds) {
            Op::Not => (true, self.pool.args(holds)[0]),
            _ => (false, holds),
        };
        if text.len() > LONGEST || !self.names.text(self.pool, inner).is_opaque {
            return;
        }
        let fails = self.pool.not(inner);
        for (one, yes) in [(inner, !is_turned), (fails, is_turned)] {
            let words = if yes { "holds" } else { "does not hold" };
            self.name(one, Text::new(format!("`{text}` (line {line}) {words}"), AND));
        }
    }

    /// The term of an operand that is compared, without conversions that change nothing about the comparison.
    fn compared(&mut self, frame: u32, operand: &Operand) -> Option<Term> {
        match operand {
            Operand::Instruction(id) => self.terms.get(&(frame, *id)).copied(),
            Operand::Const(id) => {
                let module = self.names.module(self.side);
                let width = |ty| match module.types.get(ty) {
                    Type::Int(width) => Some(*width),
                    Type::Pointer(_) => Some(64),
                    _ => None,
                };
                match module.constant(*id) {
                    Const::Int { ty, bits } => Some(self.pool.bits(width(*ty)?, *bits)),
                    Const::Zero(ty) => Some(self.pool.bits(width(*ty)?, 0)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A call as it is written.
    fn call(&mut self, step: &Step, name: &str, result: Option<Term>) -> Text {
        let op = self.code().op(step.frame, step.id).clone();
        // As the source writes it, where no other call has these words.
        let written = crate::doing::call_text(&op, name, self, &|one| self.as_written(step.frame, one));
        let text = match self.names.read.get(&written) {
            Some(before) if Some(before) != result.as_ref() => {
                crate::doing::call_text(&op, name, self, &|one| self.operand(step.frame, one))
            }
            _ => written,
        };
        if let Some(result) = result {
            self.names.read.entry(text.clone()).or_insert(result);
        }
        let result = self.result_type(&op);
        let signed = result.and_then(|one| is_signed(self.names.module(self.side), one));
        Text { signed, ctype: result.map(|one| (self.side, one)), ..Text::new(text, PRIMARY) }
    }

    fn result_type(&self, op: &Code) -> Option<CTypeId> {
        let module = self.names.module(self.side);
        let Code::Call { callee: Operand::Const(id), .. } = op else { return None };
        let Const::Function(function) = module.constant(*id) else { return None };
        match module.ctype(module.function(*function).ctype?) {
            CType::Function { result, .. } => Some(*result),
            _ => None,
        }
    }

    /// What an operand's value is called.
    pub fn operand(&self, frame: u32, operand: &Operand) -> Text {
        match operand {
            Operand::Instruction(id) => match self.terms.get(&(frame, *id)) {
                Some(term) => self.names.text(self.pool, *term),
                None => match self.place(frame, operand) {
                    Some(place) => Text {
                        is_opaque: place.text.is_opaque,
                        ..Text::new(format!("&{}", place.text.text), UNARY)
                    },
                    None => Text::opaque(),
                },
            },
            Operand::Const(id) => self.constant(*id),
            Operand::Parameter(n) => {
                let function = self.code().frames[frame as usize].function;
                let name = self.names.module(self.side).function(function).parameters.get(*n as usize);
                name.map_or_else(Text::opaque, |one| Text::new(one.name.clone(), PRIMARY))
            }
            Operand::Metadata(_) => Text::opaque(),
        }
    }

    /// An operand as the source writes it: variables and members by their names, whatever they hold by then.
    pub fn as_written(&self, frame: u32, operand: &Operand) -> Text {
        if let Operand::Instruction(id) = operand
            && let Code::Load { pointer, .. } = self.code().op(frame, *id)
            && let Some(place) = self.place(frame, pointer)
            && !place.text.is_opaque
        {
            return self.first(place).text;
        }
        let text = self.operand(frame, operand);
        if let Operand::Instruction(id) = operand
            && matches!(self.code().op(frame, *id), Code::Call { .. })
            && let Some((name, _)) = text.text.split_once('(').filter(|_| text.text.len() > SHORT / 2)
        {
            // A call in a call is told by itself.
            return Text { ctype: text.ctype, ..Text::new(format!("{name}(…)"), PRIMARY) };
        }
        text
    }

    fn constant(&self, id: ConstId) -> Text {
        let module = self.names.module(self.side);
        match module.constant(id) {
            Const::Int { ty, bits } => {
                let width = match module.types.get(*ty) {
                    Type::Int(width) => *width,
                    _ => 64,
                };
                match width > 1 && width < 128 && bits >> (width - 1) & 1 == 1 {
                    true => Text::new((*bits as i128 - (1i128 << width)).to_string(), UNARY),
                    false => unsigned(*bits),
                }
            }
            Const::Zero(ty) if matches!(module.types.get(*ty), Type::Pointer(_)) => {
                Text::new("NULL".to_owned(), PRIMARY)
            }
            Const::Zero(_) => Text::new("0".to_owned(), PRIMARY),
            Const::Function(function) => Text::new(module.function(*function).name.clone(), PRIMARY),
            Const::Global(_) => constant_text(module, id),
            Const::Expr { expr: ConstExpr::ElementAddress { source, base, indices, .. }, .. } => {
                let indices: Vec<Operand> = indices.iter().map(|&one| Operand::Const(one)).collect();
                match self.element(0, &Operand::Const(*base), *source, &indices) {
                    Some(place) => Text {
                        is_opaque: place.text.is_opaque,
                        ..Text::new(format!("&{}", place.text.text), UNARY)
                    },
                    None => Text::opaque(),
                }
            }
            _ => Text::opaque(),
        }
    }

    /// What lies at an address.
    pub fn place(&self, frame: u32, pointer: &Operand) -> Option<Place> {
        let module = self.names.module(self.side);
        match pointer {
            Operand::Instruction(id) => {
                if let Some(place) = self.places.get(&(frame, *id)) {
                    return Some(place.clone());
                }
                if frame == 0
                    && let Some(name) = self.names.cut(self.side).names.get(id)
                {
                    let body = self.code().frames[0].body;
                    let ctype =
                        body.variables.iter().find(|one| one.slot == Some(*id)).and_then(|one| one.ctype);
                    if name.starts_with('#') {
                        return None;
                    }
                    let name = name.split('#').next().unwrap_or(name).to_owned();
                    return Some(self.lies(name, PRIMARY, ctype));
                }
                let term = *self.terms.get(&(frame, *id))?;
                let base = self.pointer(frame, *id, self.names.text(self.pool, term));
                let target =
                    base.ctype.and_then(|(side, one)| Some((side, pointee(self.names.module(side), one)?)));
                let text = match base.text.strip_prefix('&') {
                    _ if base.text == "__errno_location()" => "errno".to_owned(),
                    Some(inner) => inner.to_owned(),
                    None => format!("*{}", base.within(UNARY)),
                };
                let mut place = self.lies(text, UNARY, None);
                place.text.ctype = target;
                place.text.signed = target.and_then(|(side, one)| is_signed(self.names.module(side), one));
                place.text.is_opaque |= base.is_opaque;
                Some(place)
            }
            Operand::Const(id) => match module.constant(*id) {
                Const::Global(global) if !module.global(*global).private => {
                    let global = module.global(*global);
                    let name = crate::names::plain_name(&global.name).to_owned();
                    let name = name.rsplit('.').next().unwrap_or(&name).to_owned();
                    Some(self.lies(name, PRIMARY, global.ctype))
                }
                Const::Expr { expr: ConstExpr::ElementAddress { source, base, indices, .. }, .. } => {
                    let indices: Vec<Operand> = indices.iter().map(|&one| Operand::Const(one)).collect();
                    self.element(frame, &Operand::Const(*base), *source, &indices)
                }
                _ => None,
            },
            Operand::Parameter(_) => {
                let base = self.operand(frame, pointer);
                Some(self.lies(format!("*{}", base.within(UNARY)), UNARY, None))
            }
            Operand::Metadata(_) => None,
        }
    }

    /// A pointer by its name; where the variable that it is read from leads to a structure, and what it was set to does not, with the variable's type.
    fn pointer(&self, frame: u32, id: InstructionId, name: Text) -> Text {
        let Code::Load { pointer, .. } = self.code().op(frame, id) else { return name };
        let Some((side, declared)) = self.place(frame, pointer).and_then(|place| place.text.ctype) else {
            return name;
        };
        let module = self.names.module(side);
        let is_record = |(side, ctype): (Side, CTypeId)| {
            let module = self.names.module(side);
            let target = pointee(module, ctype).map(|one| plain(module, one));
            target.is_some_and(|one| matches!(module.ctype(one), CType::Record { .. }))
        };
        if !is_record((side, declared)) || name.ctype.is_none_or(is_record) || name.is_opaque {
            return name;
        }
        let text = format!("({}) {}", module.ctype_name(declared), name.within(UNARY));
        Text { ctype: Some((side, declared)), ..Text::new(text, UNARY) }
    }

    fn lies(&self, text: String, level: u8, ctype: Option<CTypeId>) -> Place {
        let signed = ctype.and_then(|one| is_signed(self.names.module(self.side), one));
        Place { text: Text { signed, ctype: ctype.map(|one| (self.side, one)), ..Text::new(text, level) } }
    }

    /// A member or an element, as it is written.
    fn element(
        &self,
        frame: u32,
        base: &Operand,
        source: hydrogen_ir::TypeId,
        indices: &[Operand],
    ) -> Option<Place> {
        let module = self.names.module(self.side);
        let is_zero = |one: &Operand| match one {
            Operand::Const(id) => matches!(module.constant(*id), Const::Zero(_) | Const::Int { bits: 0, .. }),
            _ => false,
        };
        let (first, rest) = indices.split_first()?;
        let mut ty = source;
        // The object that the pointer leads to: `*p`, or `p[i]`.
        let mut place = match is_zero(first)
            && (!rest.is_empty() || !matches!(module.types.get(source), Type::Int(_)))
        {
            true => self.place(frame, base)?,
            false => {
                let (mut pointer, index) = (self.operand(frame, base), self.operand(frame, first));
                if let Operand::Instruction(id) = base {
                    pointer = self.pointer(frame, *id, pointer);
                }
                let target = pointer
                    .ctype
                    .and_then(|(side, one)| Some((side, pointee(self.names.module(side), one)?)));
                let mut place =
                    self.lies(format!("{}[{}]", pointer.within(PRIMARY), index.text), PRIMARY, None);
                place.text.is_opaque = pointer.is_opaque || index.is_opaque;
                place.text.ctype = target;
                place.text.signed = target.and_then(|(side, one)| is_signed(self.names.module(side), one));
                place
            }
        };
        for one in rest {
            match module.types.get(ty) {
                Type::Struct(body) => {
                    let Operand::Const(id) = one else { return None };
                    let number = match module.constant(*id) {
                        Const::Int { bits, .. } => usize::try_from(*bits).ok()?,
                        Const::Zero(_) => 0,
                        _ => return None,
                    };
                    let offset = *module.types.layout(ty)?.field_offsets.get(number)?;
                    // Offsets are those of this version's structure, whichever version gave the place its name.
                    place.text.ctype = place.text.ctype.and_then(|one| self.own(one));
                    if let (None, Some(name)) = (place.text.ctype, body.name.as_deref()) {
                        // A variable of another file says nothing of its type; the code does.
                        let records = match self.side {
                            Side::Old => &self.names.records.0,
                            Side::New => &self.names.records.1,
                        };
                        place.text.ctype =
                            records.named(crate::names::record_word(name)).map(|one| (self.side, one));
                    }
                    if let Some(inner) = body.name.as_deref().and_then(|name| self.alternative(&place, name))
                    {
                        place = inner;
                    }
                    ty = *body.fields.as_ref()?.get(number)?;
                    let (name, ctype) = self.member(place.text.ctype, offset)?;
                    // Members of a structure or union without a name are members of what it is in.
                    if name.is_empty() {
                        place.text.ctype = Some(ctype);
                        continue;
                    }
                    let text = match place.text.text.strip_prefix('*').filter(|_| place.text.level == UNARY) {
                        Some(pointer) if pointer.starts_with('(') && !pointer.ends_with(')') => {
                            format!("({pointer})->{name}")
                        }
                        Some(pointer) => format!("{pointer}->{name}"),
                        None => format!("{}.{name}", place.text.within(PRIMARY)),
                    };
                    let is_opaque = place.text.is_opaque;
                    place = self.lies(text, PRIMARY, None);
                    place.text.is_opaque = is_opaque;
                    place.text.ctype = Some(ctype);
                    place.text.signed = is_signed(self.names.module(ctype.0), ctype.1);
                }
                Type::Array { element, .. } => {
                    ty = *element;
                    let index = self.operand(frame, one);
                    let inner = place.text.ctype.and_then(|one| self.element_type(one));
                    let is_opaque = place.text.is_opaque || index.is_opaque;
                    place =
                        self.lies(format!("{}[{}]", place.text.within(PRIMARY), index.text), PRIMARY, None);
                    place.text.is_opaque = is_opaque;
                    place.text.ctype = inner;
                    place.text.signed = inner.and_then(|(side, one)| is_signed(self.names.module(side), one));
                }
                _ => return None,
            }
        }
        Some(place)
    }

    /// Of an array, its first element: it begins where the array does.
    pub fn first(&self, place: Place) -> Place {
        match place.text.ctype.and_then(|one| self.element_type(one)) {
            Some((side, inner)) => {
                let mut first = self.lies(format!("{}[0]", place.text.within(PRIMARY)), PRIMARY, None);
                first.text.ctype = Some((side, inner));
                first.text.signed = is_signed(self.names.module(side), inner);
                first.text.is_opaque = place.text.is_opaque;
                first
            }
            None => place,
        }
    }

    fn element_type(&self, (side, ctype): (Side, CTypeId)) -> Option<(Side, CTypeId)> {
        let module = self.names.module(side);
        match module.ctype(plain(module, ctype)) {
            CType::Array { element, lengths } if lengths.len() == 1 => Some((side, *element)),
            _ => None,
        }
    }

    /// A structure as the version has it that is being read.
    fn own(&self, (side, ctype): (Side, CTypeId)) -> Option<(Side, CTypeId)> {
        if side == self.side {
            return Some((side, ctype));
        }
        let records = match self.side {
            Side::Old => &self.names.records.0,
            Side::New => &self.names.records.1,
        };
        self.names.record_names(side, ctype).find_map(|name| records.named(name)).map(|one| (self.side, one))
    }

    /// Of a union, the member that is a structure of this name.
    fn alternative(&self, place: &Place, name: &str) -> Option<Place> {
        let (side, ctype) = place.text.ctype?;
        let module = self.names.module(side);
        let CType::Record { kind: RecordKind::Union, members, .. } = module.ctype(plain(module, ctype))
        else {
            return None;
        };
        let wanted = crate::names::record_word(name);
        let is_it = |one: &&hydrogen_ir::Member| {
            let mut at = one.ty;
            loop {
                match module.ctype(at) {
                    CType::Typedef { name, .. } if name == wanted => return true,
                    CType::Typedef { target, .. } | CType::Qualified { target, .. } => at = *target,
                    CType::Record { name: Some(name), .. } => return name == wanted,
                    _ => return false,
                }
            }
        };
        let member = members.iter().find(is_it)?;
        let text = match place.text.text.strip_prefix('*').filter(|_| place.text.level == UNARY) {
            Some(pointer) => format!("{pointer}->{}", member.name),
            None => format!("{}.{}", place.text.within(PRIMARY), member.name),
        };
        let mut inner = self.lies(text, PRIMARY, None);
        inner.text.ctype = Some((side, member.ty));
        inner.text.is_opaque = place.text.is_opaque;
        Some(inner)
    }

    /// The member at an offset.
    fn member(&self, record: Option<(Side, CTypeId)>, offset: u64) -> Option<(String, (Side, CTypeId))> {
        let (side, ctype) = record?;
        let module = self.names.module(side);
        let CType::Record { kind: RecordKind::Struct, members, .. } = module.ctype(plain(module, ctype))
        else {
            return None;
        };
        let here = members.iter().find(|one| !one.bit_field && one.offset_bits == offset * 8)?;
        Some((here.name.clone(), (side, here.ty)))
    }
}

/// What the source calls a function that the compiler knows.
pub(crate) fn source_name(name: &str) -> &str {
    // What the compiler makes of the builtins, and the names that the C library has behind those of its manual.
    for known in ["memcpy", "memmove", "memset", "va_start", "va_end", "va_copy"] {
        if name.strip_prefix("llvm.").is_some_and(|rest| rest.starts_with(known)) {
            return known;
        }
    }
    match name {
        "__sysv_signal" => "signal",
        "__isoc99_sscanf" | "__isoc23_sscanf" => "sscanf",
        "__isoc99_fscanf" | "__isoc23_fscanf" => "fscanf",
        "__isoc99_scanf" | "__isoc23_scanf" => "scanf",
        "__isoc23_strtol" => "strtol",
        "__isoc23_strtoul" => "strtoul",
        "__isoc23_strtoll" => "strtoll",
        "__isoc23_strtoull" => "strtoull",
        _ => name,
    }
}

/// What the address of something with a name, or of a literal, is called.
fn constant_text(module: &Module, id: ConstId) -> Text {
    let global = match module.constant(id) {
        Const::Global(global) => module.global(*global),
        Const::Function(function) => return Text::new(module.function(*function).name.clone(), PRIMARY),
        _ => return Text::opaque(),
    };
    if let (true, Some(value)) = (global.private, global.initializer) {
        return match bytes(module, value) {
            Some(data) => Text::new(quoted(&data, SHORT_LITERAL), PRIMARY),
            None => Text::opaque(),
        };
    }
    let is_array =
        global.ctype.is_some_and(|one| matches!(module.ctype(plain(module, one)), CType::Array { .. }));
    let name = crate::names::plain_name(&global.name);
    let name = name.rsplit('.').next().unwrap_or(name);
    match is_array {
        true => Text::new(name.to_owned(), PRIMARY),
        false => Text::new(format!("&{name}"), UNARY),
    }
}

/// The bytes of a literal.
pub(crate) fn bytes(module: &Module, id: ConstId) -> Option<Vec<u8>> {
    match module.constant(id) {
        Const::Bytes { data, .. } => Some(data.clone()),
        Const::Zero(_) => Some(Vec::new()),
        Const::Aggregate { elements, .. } => {
            let byte = |&one: &ConstId| match module.constant(one) {
                Const::Int { bits, .. } => u8::try_from(*bits).ok(),
                Const::Zero(_) => Some(0),
                _ => None,
            };
            elements.iter().map(byte).collect()
        }
        _ => None,
    }
}

/// A literal, cut where it is long.
pub(crate) fn quoted(data: &[u8], most: usize) -> String {
    let data = data.strip_suffix(&[0]).unwrap_or(data);
    let mut text = String::from("\"");
    for &byte in data.iter().take(most) {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\r' => text.push_str("\\r"),
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            0x20..=0x7e => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    if data.len() > most {
        text.push('…');
    }
    text.push('"');
    text
}

impl Names<'_, '_> {
    /// A value that goes to a place, as numbers there are written.
    pub fn beside(&self, pool: &Pool, term: Term, place: Option<&Text>) -> Text {
        match (place, pool.as_bits(term)) {
            (Some(place), Some(0)) if place.ctype.is_some_and(|one| self.is_pointer(one)) => {
                Text::new("NULL".to_owned(), PRIMARY)
            }
            (Some(place), Some(_)) if !self.has(term) => {
                self.number_like(pool, term, place, pool.width(term))
            }
            _ => self.text(pool, term),
        }
    }
}
