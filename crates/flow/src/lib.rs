//! Static facts about programs.
