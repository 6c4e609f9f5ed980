//! A small module that tests vary by replacing text.

use hydrogen_ir::{Module, parse};

pub const SAMPLE: &str = r#"module "a.c" target "x86_64-pc-linux-gnu"
file 0 "a.c"
file 1 "x.h"
type %0 = void
type %1 = i1 size 1 alloc 1 align 1
type %2 = i8 size 8 alloc 1 align 1
type %3 = i32 size 32 alloc 4 align 4
type %4 = ptr size 64 alloc 8 align 8
type %5 = [3 x i8] size 24 alloc 3 align 1
type %6 = struct "struct.foo" { i32, ptr } size 128 alloc 16 align 8 offsets [0, 8]
type %7 = fn(i32) -> i32
type %8 = fn(ptr, i32, ...) -> i32
type %9 = i64 size 64 alloc 8 align 8
ctype $0 = basic "int" size 32 signed
const #0 = i32 1
const #1 = i32 42
const #2 = bytes [3 x i8] "hi\x00"
const #3 = @.str
const #4 = &printf
const #5 = @counter
const #6 = i32 0
const #7 = @table
const #8 = expr ptr gep inbounds %struct.foo, @table, [i32 0, i32 1]
const #9 = aggregate %struct.foo [i32 1, #8]
const #10 = @f.seen
const #11 = &f
global @0 ".str" internal [3 x i8] constant private align 1 = #2
global @1 "counter" external i32 ctype $0 align 4 = i32 0 at 0:1:5
global @2 "table" internal %struct.foo align 8 = #9 at 0:2:5
global @3 "f.seen" internal i32 align 4 = i32 0 at 0:4:3
function &0 "f" external type fn(i32) -> i32 ctype $0 {
  signature "int f(int x)"
  span 0:3:1-9:2
  param "x" i32
  piece p0 entry s0 ""
  piece p1 exit s0 ""
  piece p2 if s0 "x > 0" 0:5:7-5:12
  piece p3 expression s1 "printf(\"hi\", LINE);" 0:6:5-6:24
  piece p4 return s2 "return counter;" 0:8:3-8:18
  flow p0 -> p2 next
  flow p2 -> p3 true
  flow p2 -> p4 false
  flow p3 -> p4 next
  flow p4 -> p1 next
  call p3 "printf" v4
  variable "x" parameter 0 ctype $0 slot v0 at 0:3:11
  body {
    block b0 "entry" {
      v0: ptr = alloca i32, i32 1 align 4 | p0
      v1: void = store a0, v0 align 4 | p0 0:3:11
      v2: i32 = load v0 align 4 | p2 0:5:7
      v3: i1 = icmp sgt v2, i32 0 | p2 0:5:9
      v4: i32 = call fn(ptr, i32, ...) -> i32 &printf(@.str, i32 42) | p3 0:6:5
      v5: void = br v3, b1, b2 | p2 0:5:7
    }
    block b1 "if.then" {
      v6: i32 = load #8 align 4 | p3 0:6:5
      v7: void = store v6, @f.seen align 4 | p3 0:6:5
      v8: void = jump b2 | p3 0:6:5
    }
    block b2 "if.end" {
      v9: i32 = phi [b0 i32 1, b1 v6] | p4 0:8:10
      v10: i32 = load @counter align 4 | p4 0:8:10
      v11: i32 = add nsw v9, v10 | p4 0:8:10
      v12: void = ret v11 | p4 0:8:3
    }
  }
}
function &1 "printf" external type fn(ptr, i32, ...) -> i32
"#;

/// The sample.
pub fn sample() -> Module {
    parse(SAMPLE).unwrap_or_else(|error| panic!("{error}"))
}

/// The sample with each text replaced by another.
pub fn edited(edits: &[(&str, &str)]) -> Module {
    let mut text = SAMPLE.to_string();
    for (from, to) in edits {
        assert!(text.contains(from), "the sample has no {from:?}");
        text = text.replace(from, to);
    }
    parse(&text).unwrap_or_else(|error| panic!("{error}"))
}
