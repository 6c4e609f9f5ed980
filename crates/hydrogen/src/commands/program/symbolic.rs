//! `--symbolic WHAT`.

use anyhow::{Context as _, Result, bail};
use hydrogen_explore::Symbolic;

/// More symbolic bytes in one place are a slip of the hand.
const MOST: usize = 1 << 16;

/// What of the input is symbolic.
pub fn symbolic(list: &[String]) -> Result<Symbolic> {
    let mut symbolic = Symbolic::default();
    for what in list {
        add(&mut symbolic, what).with_context(|| format!("`--symbolic {what}`"))?;
    }
    Ok(symbolic)
}

fn add(symbolic: &mut Symbolic, what: &str) -> Result<()> {
    let how = "write stdin:N, stdin:0-N, arg:I:N, file:NAME:N or env:NAME:N";
    let Some((kind, rest)) = what.split_once(':') else { bail!("{how}") };
    let count = |text: &str| -> Result<usize> {
        let count: usize =
            text.parse().ok().with_context(|| format!("`{text}` is no number of bytes; {how}"))?;
        match count {
            0 => bail!("no byte is symbolic then"),
            1..=MOST => Ok(count),
            _ => bail!("at most {MOST} bytes can be symbolic"),
        }
    };
    let named = || rest.rsplit_once(':').filter(|(name, _)| !name.is_empty()).context(how);
    match kind {
        "stdin" => {
            let (shorter, text) = match rest.strip_prefix("0-") {
                Some(text) => (true, text),
                None => (false, rest),
            };
            (symbolic.stdin, symbolic.shorter) = (count(text)?, shorter);
        }
        "arg" => {
            let (index, len) = named()?;
            let index: usize = index.parse().ok().filter(|index| *index < 1000).context(how)?;
            symbolic.args.insert(index, count(len)?);
        }
        "file" => {
            let (name, len) = named()?;
            symbolic.files.insert(name.into(), count(len)?);
        }
        "env" => {
            let (name, len) = named()?;
            if name.contains('=') {
                bail!("a variable's name has no `=`");
            }
            symbolic.environment.insert(name.into(), count(len)?);
        }
        _ => bail!("{how}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_nonsense_is_refused() {
        let list = ["stdin:0-16", "arg:1:8", "file:a:b:4", "env:HOME:3"].map(str::to_owned);
        let read = symbolic(&list).expect("all are right");
        assert_eq!((read.stdin, read.shorter), (16, true));
        assert_eq!(read.args[&1], 8);
        assert_eq!(read.files[bstr::BStr::new("a:b")], 4);
        assert_eq!(read.environment[bstr::BStr::new("HOME")], 3);
        for wrong in [
            "stdin",
            "stdin:",
            "stdin:x",
            "stdin:0",
            "stdin:99999999",
            "arg:8",
            "arg:x:1",
            "disk:1",
            ":1",
            "file::3",
        ] {
            assert!(symbolic(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
