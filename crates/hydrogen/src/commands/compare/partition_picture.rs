//! The partitions as a picture: a map of the inputs, one area for each partition, and beside it what is behind the one that was clicked.

use super::partition_report::{Report, json};

/// The page, with everything that it needs inside.
pub fn page(report: &Report) -> String {
    // No text of a program may end the script.
    let data = json(report).to_string().replace("</", "<\\/").replace("<!--", "<\\!--");
    let style = include_str!("partition_picture.css");
    let script = include_str!("partition_picture.js");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Partitions</title>\n<style>\n{style}</style>\n</head>\n\
         <body>\n<header><h1></h1><p id=\"verdict\"></p><p id=\"share\"></p></header>\n\
         <main><section id=\"map\" aria-label=\"partitions\"></section><aside id=\"detail\"></aside></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )
}
