//! Real and random programs in the machine and natively: the same output, errors and status.

use crate::bench_machine::words;
use crate::programs::{self, Subject};
use anyhow::{Context, Result, bail, ensure};
use hydrogen_machine::{End, Limits, Program, World};
use hydrogen_program::Workshop;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LUA: &str = r#"
local t = {} for i = 1, 2000 do t[i] = (i * 7919) % 1009 end table.sort(t) print(t[1], t[2000], #t)
print(string.format("%5.3f %q %s %x", 3.14159, "hi\n", tostring(nil), 255))
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) print(co(), co(), co())
print(select(2, pcall(error, "caught")), select('#', 1, 2, 3), ("x"):rep(5), arg[1])
print(os.time{year=2020, month=1, day=1, hour=0}, 7 // 2, 7.5 % 2, 2^53, 1e100, math.pi)
for w in string.gmatch("the quick brown fox", "%a+") do io.write(w, ",") end print()
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end print(fib(18))
local s = 0 for k, v in pairs(setmetatable({a=1, b=2}, {__index=print})) do s = s + v end print(s, #string.pack("<i4z", 100, "x"))
print(tostring(1/0), 0/0 ~= 0/0, math.maxinteger + 1 == math.mininteger, utf8.char(8364), string.rep("ab", 3, "-"))
local ok, e = pcall(function() local x = nil; return x.y end) print(ok, e)
"#;

const SQL: &str = "create table t(a integer primary key, b text, c real);
insert into t values(1,'one',1.5),(2,'two',2.25),(3,'three',3.125);
select * from t where b like 't%' order by c desc;
with recursive n(i) as (select 1 union all select i+1 from n where i<500) select sum(i), count(*), avg(i) from n;
create index i on t(b); explain query plan select * from t where b='two';
select printf('%08.3f %s', c, upper(b)), length(b), substr(b,2), hex(b) from t;
select group_concat(b, ',') from t; select date('2020-02-29','+1 year'), json_extract('{\"a\":[1,2]}','$.a[1]');
begin; update t set c=c*2 where a>1; delete from t where a=1; commit; select total(c), max(b) from t;
create trigger r after insert on t begin update t set b=b||'!' where a=new.a; end; insert into t values(9,'nine',9); select * from t;
select * from nothere;";

pub fn run(random: u32) -> Result<()> {
    let workshop = programs::workshop()?;
    let work = Work { folder: tempfile::tempdir()? };
    let text = words(200_000);
    for subject in programs::subjects()? {
        let program = programs::load(&workshop, &subject)?;
        let binary = work.folder.path().join(subject.name);
        subject.build(&binary)?;
        let compare = |args: &[&str], stdin: &[u8]| {
            let output = work.compare(subject.name, &program, &binary, args, stdin)?;
            println!("{} {}: same", subject.name, args.join(" "));
            Ok::<_, anyhow::Error>(output)
        };
        match subject.name {
            "zlib" => {
                let packed = compare(&["-9"], &text)?;
                ensure!(compare(&["-d"], &packed)? == text, "unpacked is not what was packed");
                compare(&["-1"], &text[..1000])?;
            }
            "bzip2" => {
                let packed = compare(&["-c"], &text)?;
                ensure!(compare(&["-dc"], &packed)? == text, "unpacked is not what was packed");
            }
            "lua" => drop(compare(&["argument"], LUA.as_bytes())?),
            _ => drop(compare(&[], SQL.as_bytes())?),
        }
    }
    random_programs(&workshop, &work, random)
}

struct Work {
    folder: tempfile::TempDir,
}

impl Work {
    /// Runs both, and gives the output when they agree.
    fn compare(
        &self,
        name: &str,
        program: &Program,
        binary: &Path,
        args: &[&str],
        stdin: &[u8],
    ) -> Result<Vec<u8>> {
        let input = self.folder.path().join("stdin");
        std::fs::write(&input, stdin)?;
        let link = self.folder.path().join("program");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(binary, &link)?;
        let native = Command::new("timeout")
            .arg("20")
            .arg(&link)
            .args(args)
            .env_clear()
            .stdin(std::fs::File::open(&input)?)
            .output()?;
        let mut all = vec!["program"];
        all.extend(args);
        let limits = Limits { time: Duration::from_secs(100), ..Limits::default() };
        let run = program.run(World::new(all).with_stdin(stdin), limits);
        let status = match &run.end {
            End::Exit(status) => *status,
            End::Signal(signal) => 128 + signal,
            end => bail!("{name} {args:?}: {end:#?}"),
        };
        let expected = native.status.code().or(native.status.signal().map(|signal| 128 + signal));
        ensure!(expected == Some(status), "{name} {args:?}: status {status}, natively {expected:?}");
        ensure!(run.world.stdout == native.stdout, "{name} {args:?}: the output differs");
        ensure!(run.world.stderr == native.stderr, "{name} {args:?}: the errors differ");
        Ok(run.world.stdout)
    }
}

fn random_programs(workshop: &Workshop, work: &Work, wanted: u32) -> Result<()> {
    let source = work.folder.path().join("random.c");
    let binary = work.folder.path().join("random");
    let (mut seed, mut same, mut endless) = (0, 0, 0);
    while same < wanted {
        seed += 1;
        let output = Command::new("csmith")
            .args(["--seed", &seed.to_string()])
            .output()
            .context("csmith is missing")?;
        std::fs::write(&source, output.stdout)?;
        let subject = Subject::single("random", source.clone(), &["-I/usr/include/csmith"]);
        subject.build(&binary)?;
        let status = Command::new("timeout").arg("2").arg(&binary).output()?.status;
        // Some of them run for ever.
        if status.code() == Some(124) {
            endless += 1;
            continue;
        }
        let program = programs::load(workshop, &subject)?;
        work.compare(&format!("csmith --seed {seed}"), &program, &binary, &[], b"")?;
        same += 1;
    }
    println!("{same} random programs: same ({endless} others have no end)");
    Ok(())
}
