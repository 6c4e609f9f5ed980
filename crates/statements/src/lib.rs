//! From a structured statement tree to statement pieces and their control flow.
