//! A slice as one page: the source, with what a run executed and what its criterion depends on. No script, and nothing that is
//! loaded.

/// What a line has to do with a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Suspected to be the reason of a wrong output.
    Suspect,
    /// In the dynamic slice: values come from there, or it decided that they were computed.
    Dynamic,
    /// In the relevant slice alone: it would have mattered had it gone the other way.
    Relevant,
    /// Executed, and nothing depends on it.
    Executed,
    /// Not executed, or no code.
    None,
}

/// A run of lines of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The file.
    pub file: String,
    /// By line: its number, its text, and what it has to do with the slice.
    pub lines: Vec<(u32, String, Mark)>,
}

pub(crate) const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1100px;padding:0 1em;color:#1b1f24;\
background:#fff}h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2em}table{border-collapse:collapse;width:100%;\
font:13px/1.45 ui-monospace,monospace}td{padding:0 .6em;white-space:pre-wrap;tab-size:4}td.n{text-align:right;color:#57606a;width:1%;\
user-select:none}td.m{width:1%;user-select:none}tr.dynamic td{background:#c6efce}tr.relevant td{background:#e8f3d6}\
tr.none td{color:#8c959f}tr:target td{outline:2px solid #bf8700}.key span{padding:0 .6em;margin-right:.6em}.key .dynamic{background:#c6efce}\
.key .relevant{background:#e8f3d6}.key .none{color:#8c959f}a{color:inherit;text-decoration:none}\
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}td.n{color:#9198a1}tr.dynamic td,.key .dynamic{background:#1b4721}\
tr.relevant td,.key .relevant{background:#2f3b14}tr.none td,.key .none{color:#6e7681}}";

impl Mark {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Mark::Suspect => "suspect",
            Mark::Dynamic => "dynamic",
            Mark::Relevant => "relevant",
            Mark::Executed => "executed",
            Mark::None => "none",
        }
    }

    /// The same without colours.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Mark::Suspect => "!",
            Mark::Dynamic => "*",
            Mark::Relevant => "+",
            Mark::Executed => ".",
            Mark::None => "",
        }
    }
}

/// Writes a slice as one self-contained page. `summary` are sentences above the source. The same slice gives the same bytes.
pub fn listing(title: &str, summary: &[String], excerpts: &[Excerpt]) -> String {
    let title = escape(title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
    );
    summary.iter().for_each(|line| page.push_str(&format!("<p>{}</p>\n", escape(line))));
    page.push_str(
        "<p class=\"key\"><span class=\"dynamic\">* in the dynamic slice</span><span class=\"relevant\">+ in the relevant slice only</span>\
         <span>. executed</span><span class=\"none\">not executed</span></p>\n",
    );
    let mut last = None;
    for (number, excerpt) in excerpts.iter().enumerate() {
        if last != Some(&excerpt.file) {
            page.push_str(&format!("<h2>{}</h2>\n", escape(&excerpt.file)));
        }
        last = Some(&excerpt.file);
        page.push_str("<table>\n");
        for (line, text, mark) in &excerpt.lines {
            // Several excerpts of one file never share a line; files are told apart by the number of the excerpt.
            page.push_str(&format!(
                "<tr id=\"e{number}-{line}\" class=\"{}\"><td class=\"n\"><a href=\"#e{number}-{line}\">{line}</a></td><td class=\"m\">{}</td><td>{}</td></tr>\n",
                mark.class(),
                mark.sign(),
                escape(text)
            ));
        }
        page.push_str("</table>\n");
    }
    page.push_str("</body></html>\n");
    page
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_program_stays_text() {
        let line = |number, text: &str, mark| (number, text.to_owned(), mark);
        let lines = vec![
            line(1, "if (a < b && \"</td>\")", Mark::Dynamic),
            line(2, "\treturn;", Mark::Relevant),
            line(3, "x++;", Mark::Executed),
            line(4, "}", Mark::None),
        ];
        let page = listing("slice of <x>", &["1 & 2".into()], &[Excerpt { file: "a.c".into(), lines }]);
        assert!(page.contains("if (a &lt; b &amp;&amp; &quot;&lt;/td&gt;&quot;)"), "{page}");
        assert!(page.contains("<title>slice of &lt;x&gt;</title>"), "{page}");
        for class in ["dynamic", "relevant", "executed", "none"] {
            assert_eq!(page.matches(&format!("class=\"{class}\"><td")).count(), 1, "{page}");
        }
        assert!(!page.contains("<script") && !page.contains("http://"), "{page}");
    }
}
