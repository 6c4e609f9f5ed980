//! The partitions as a picture: a map of the inputs, one area for each partition, and beside it what is behind the one that was clicked.

use super::parts_json::value;
use hydrogen_evidence::partitioned::Partitioned;

/// The page, with everything that it needs inside.
pub fn picture(report: &Partitioned) -> String {
    // No text of a program may end the script.
    let data = value(report).to_string().replace("</", "<\\/").replace("<!--", "<\\!--");
    let style = include_str!("picture.css");
    let script = include_str!("picture.js");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Partitions</title>\n<style>\n{style}</style>\n</head>\n\
         <body>\n<header><h1></h1><p id=\"verdict\"></p><p id=\"share\"></p></header>\n\
         <main><section id=\"map\" aria-label=\"partitions\"></section><aside id=\"detail\"></aside></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )
}
