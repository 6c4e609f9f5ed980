//! What system calls write.
//!
//! The library asks the system through functions that hold nothing but the `syscall` instruction, for which an analysis of
//! pointers must assume the worst. Where the number of the call is a constant, which is nearly everywhere, the call is given
//! to a function of that number instead, and a table says what it does.

use hydrogen_ir::{Const, ConstId, FunctionId, Linkage, Module, Op, Operand};
use rustc_hash::FxHashMap;

/// In the form of `hydrogen_flow`'s table; argument 0 is the number. A call that is not here may do everything with what its
/// arguments reach: `readv`, say, which writes what a list points to.
pub(crate) const TABLE: &str = "
syscall_0: writes 2                 # read
syscall_1: reads 2                  # write
syscall_2: reads 1                  # open
syscall_3:                          # close
syscall_4: reads 1, writes 2        # stat
syscall_5: writes 2                 # fstat
syscall_6: reads 1, writes 2        # lstat
syscall_7: writes 1                 # poll
syscall_8:                          # lseek
syscall_9: foreign                  # mmap
syscall_10:                         # mprotect
syscall_11:                         # munmap
syscall_12: foreign                 # brk
syscall_14: reads 2, writes 3       # rt_sigprocmask
syscall_16: writes 3                # ioctl
syscall_17: writes 2                # pread64
syscall_18: reads 2                 # pwrite64
syscall_20:                         # writev
syscall_21: reads 1                 # access
syscall_25: foreign                 # mremap
syscall_28:                         # madvise
syscall_32:                         # dup
syscall_33:                         # dup2
syscall_35: reads 1, writes 2       # nanosleep
syscall_39:                         # getpid
syscall_60:                         # exit
syscall_62:                         # kill
syscall_63: writes 1                # uname
syscall_72: writes 3                # fcntl
syscall_77:                         # ftruncate
syscall_79: writes 1                # getcwd
syscall_80: reads 1                 # chdir
syscall_82: reads 1, reads 2        # rename
syscall_83: reads 1                 # mkdir
syscall_84: reads 1                 # rmdir
syscall_87: reads 1                 # unlink
syscall_89: reads 1, writes 2       # readlink
syscall_96: writes 1, writes 2      # gettimeofday
syscall_102:                        # getuid
syscall_104:                        # getgid
syscall_107:                        # geteuid
syscall_108:                        # getegid
syscall_158:                        # arch_prctl
syscall_186:                        # gettid
syscall_200:                        # tkill
syscall_202:                        # futex
syscall_217: writes 2               # getdents64
syscall_218:                        # set_tid_address
syscall_228: writes 2               # clock_gettime
syscall_230: writes 4               # clock_nanosleep
syscall_231:                        # exit_group
syscall_234:                        # tgkill
syscall_257: reads 2                # openat
syscall_262: reads 2, writes 3      # newfstatat
syscall_263: reads 2                # unlinkat
syscall_302: writes 4               # prlimit64
syscall_318: writes 1               # getrandom
syscall_332: writes 5               # statx
";

/// The library's ways into the system.
fn is_way_in(name: &str) -> bool {
    name == "__syscall_cp"
        || name.strip_prefix("__syscall").is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'6']))
}

/// Gives every system call whose number is known to a function of its own.
pub(crate) fn name(module: &mut Module) {
    let ways: Vec<bool> = module.functions.iter().map(|function| is_way_in(&function.name)).collect();
    if !ways.contains(&true) {
        return;
    }
    let mut named: FxHashMap<(FunctionId, u128), ConstId> = FxHashMap::default();
    let Module { functions, constants, .. } = module;
    let mut added: Vec<(FunctionId, u128)> = Vec::new();
    let first = functions.len();
    for function in functions.iter_mut() {
        let Some(body) = &mut function.body else { continue };
        for instruction in &mut body.instructions {
            let Op::Call { callee: Operand::Const(callee), arguments, .. } = &mut instruction.op else {
                continue;
            };
            let Const::Function(target) = constants[callee.index()] else { continue };
            let Some(Operand::Const(number)) = arguments.first() else { continue };
            let (Some(true), Const::Int { bits, .. }) =
                (ways.get(target.index()), &constants[number.index()])
            else {
                continue;
            };
            let key = (target, *bits);
            *callee = *named.entry(key).or_insert_with(|| {
                added.push(key);
                constants.push(Const::Function(FunctionId::at(first + added.len() - 1)));
                ConstId::at(constants.len() - 1)
            });
        }
    }
    for (way, number) in added {
        // As the way in, without what is in it. Each has a symbol of its own: two ways take different numbers of arguments.
        let mut function = functions[way.index()].clone();
        function.name = format!("syscall_{number}");
        function.linkage = Linkage::Internal;
        (function.body, function.span) = (None, None);
        (function.pieces, function.flow, function.calls) = (Vec::new(), Vec::new(), Vec::new());
        functions.push(function);
    }
}
