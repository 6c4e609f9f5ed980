//! Reading what each instance depends on: a chunk of records at a time, in lists that are used again.

use crate::encode::{take, unzigzag};
use crate::node::Node;
use crate::records::{CELLS, DATA, FIRST, NEXT_PC, PART, SAME_CONTROL, SAME_FRAME, TAKEN};
use hydrogen_machine::FuncId;

/// An instance and what it depends on; see [`crate::records::Draft`].
#[derive(Debug)]
pub(crate) struct Record<'a> {
    pub(crate) node: Node,
    pub(crate) frame: u32,
    pub(crate) function: u32,
    pub(crate) pc: u32,
    pub(crate) first: bool,
    pub(crate) taken: Option<u32>,
    pub(crate) control: Node,
    pub(crate) data: &'a [Node],
    pub(crate) variables: &'a [(u32, Node)],
    pub(crate) cells: &'a [(u32, Node)],
    pub(crate) address: (u32, u32),
    pub(crate) stores: bool,
}

impl Record<'_> {
    /// Whether it goes to a place that is not always the same.
    pub(crate) fn chooses_place(&self) -> bool {
        self.address != (0, 0)
    }

    /// Where the instance is.
    pub(crate) fn function(&self) -> FuncId {
        FuncId(self.function)
    }
}

/// The records of a chunk.
#[derive(Debug, Default)]
pub(crate) struct Page {
    heads: Vec<Head>,
    data: Vec<Node>,
    /// Variables and cells, of one record after the other.
    named: Vec<(u32, Node)>,
}

/// What a record has beside lists, and where its lists begin; they end where those of the next one do.
#[derive(Debug, Default)]
struct Head {
    node: Node,
    control: Node,
    frame: u32,
    function: u32,
    pc: u32,
    taken: Option<u32>,
    address: (u32, u32),
    first: bool,
    stores: bool,
    data: u32,
    variables: u32,
    cells: u32,
}

impl Page {
    pub(crate) fn len(&self) -> usize {
        self.heads.len().saturating_sub(1)
    }

    pub(crate) fn record(&self, number: usize) -> Record<'_> {
        let (head, next) = (&self.heads[number], &self.heads[number + 1]);
        let Head { node, control, frame, function, pc, taken, address, first, stores, .. } = *head;
        Record {
            node,
            frame,
            function,
            pc,
            first,
            taken,
            control,
            data: &self.data[head.data as usize..next.data as usize],
            variables: &self.named[head.variables as usize..head.cells as usize],
            cells: &self.named[head.cells as usize..next.variables as usize],
            address,
            stores,
        }
    }

    /// Reads a chunk; `step` is the number of the last instruction before it.
    pub(crate) fn read(&mut self, bytes: &[u8], mut step: u64) {
        self.heads.clear();
        self.data.clear();
        self.named.clear();
        let mut at = 0;
        let (mut frame, mut function, mut pc, mut control) = (0u32, 0u32, 0u32, Node::NONE);
        while at < bytes.len() {
            let flags = bytes[at];
            at += 1;
            if flags & SAME_FRAME == 0 {
                frame = (i64::from(frame) + unzigzag(take(bytes, &mut at))) as u32;
            }
            if flags & NEXT_PC == 0 {
                function = (i64::from(function) + unzigzag(take(bytes, &mut at))) as u32;
                pc = take(bytes, &mut at) as u32;
            } else {
                pc += 1;
            }
            let node = if flags & PART != 0 {
                at += 1;
                Node::part(step, bytes.get(at - 1).copied().unwrap_or(0).into())
            } else {
                step += 1;
                Node::step(step)
            };
            let back = |by: u64| if by == 0 { Node::NONE } else { Node(node.0 - by) };
            if flags & SAME_CONTROL == 0 {
                control = back(take(bytes, &mut at));
            }
            let mut head = Head { node, control, frame, function, pc, ..self.next() };
            head.first = flags & FIRST != 0;
            if flags & TAKEN != 0 {
                head.taken = Some(take(bytes, &mut at) as u32);
            }
            if flags & DATA != 0 {
                let counts = take(bytes, &mut at);
                if counts & 8 != 0 {
                    let data = take(bytes, &mut at);
                    (head.address.0, head.stores) = ((data >> 1) as u32, data & 1 != 0);
                    head.address.1 = take(bytes, &mut at) as u32;
                }
                let variables = if counts & 7 == 7 { take(bytes, &mut at) } else { counts & 7 };
                (0..counts >> 4).for_each(|_| self.data.push(back(take(bytes, &mut at))));
                for _ in 0..variables {
                    let variable = take(bytes, &mut at) as u32;
                    self.named.push((variable, back(take(bytes, &mut at))));
                }
                head.cells = self.named.len() as u32;
            }
            if flags & CELLS != 0 {
                for _ in 0..take(bytes, &mut at) {
                    let cell = take(bytes, &mut at) as u32;
                    self.named.push((cell, back(take(bytes, &mut at))));
                }
            }
            self.heads.push(head);
        }
        let end = self.next();
        self.heads.push(end);
    }

    /// A record whose lists are empty so far.
    fn next(&self) -> Head {
        let named = self.named.len() as u32;
        Head { data: self.data.len() as u32, variables: named, cells: named, ..Head::default() }
    }
}
