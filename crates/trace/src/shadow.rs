//! Who wrote each byte of memory last.

use crate::node::Node;
use hydrogen_machine::Place;

const PAGE: usize = 1 << 12;

/// A page of writers; `None` as long as nobody wrote.
type Page = Option<Box<[Node; PAGE]>>;

/// Last writers by byte.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    pages: [Vec<Page>; 2],
}

impl Shadow {
    pub(crate) fn get(&self, place: Place) -> Node {
        let page = self.pages[place.region & 1].get(place.at / PAGE).and_then(Option::as_ref);
        page.map_or(Node::NONE, |page| page[place.at % PAGE])
    }

    pub(crate) fn set(&mut self, place: Place, len: u64, writer: Node) {
        let pages = &mut self.pages[place.region & 1];
        let (mut at, end) = (place.at, place.at + len as usize);
        while at < end {
            let index = at / PAGE;
            if pages.len() <= index {
                pages.resize_with(index + 1, || None);
            }
            let page = pages[index].get_or_insert_with(|| Box::new([Node::NONE; PAGE]));
            let until = end.min((index + 1) * PAGE);
            page[at % PAGE..=(until - 1) % PAGE].fill(writer);
            at = until;
        }
    }

    /// The different writers of some bytes, in the order of the bytes, each once in a row; and the oldest.
    pub(crate) fn writers(&self, place: Place, len: u64, out: &mut Vec<Node>) -> Node {
        let mut oldest = self.get(place);
        let mut last = oldest;
        out.push(last);
        for byte in 1..len as usize {
            let writer = self.get(Place { at: place.at + byte, ..place });
            if writer != last {
                out.push(writer);
                oldest = oldest.min(writer);
                last = writer;
            }
        }
        oldest
    }
}
