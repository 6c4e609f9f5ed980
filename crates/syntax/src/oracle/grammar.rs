//! The grammar's node kinds as numbers, looked up once.

use std::sync::LazyLock;
use tree_sitter::{Language, Parser};

macro_rules! kinds {
    (named { $($name:ident),* $(,)? } tokens { $($token:ident = $text:literal),* $(,)? } fields { $($field:ident = $label:literal),* $(,)? }) => {
        /// Node kinds and fields by name.
        pub(crate) struct Kinds {
            $(pub $name: u16,)*
            $(pub $token: u16,)*
            $(pub $field: u16,)*
        }

        impl Kinds {
            fn new(language: &Language) -> Self {
                Self {
                    $($name: language.id_for_node_kind(stringify!($name), true),)*
                    $($token: language.id_for_node_kind($text, false),)*
                    $($field: language.field_id_for_name($label).map_or(0, |id| id.get()),)*
                }
            }
        }
    };
}

kinds! {
    named {
        alignof_expression, assignment_expression, attributed_statement, binary_expression,
        break_statement, call_expression, case_statement, cast_expression, char_literal,
        compound_statement, concatenated_string, conditional_expression,
        continue_statement, declaration, do_statement, expression_statement,
        for_statement, function_declarator, function_definition, generic_expression,
        gnu_asm_expression, gnu_asm_goto_list, goto_statement, identifier, if_statement,
        labeled_statement,
        number_literal, offsetof_expression, parameter_list, parenthesized_expression,
        pointer_declarator, preproc_if, return_statement,
        sizeof_expression, storage_class_specifier, string_literal, switch_statement,
        type_descriptor, unary_expression, while_statement,
        field_declaration_list,
        attributed_declarator, null,
        attribute_specifier,
    }
    tokens { and = "&&", or = "||", not = "!", minus = "-", semicolon = ";" }
    fields {
        alternative = "alternative", argument = "argument", body = "body", condition = "condition",
        consequence = "consequence", declarator = "declarator", function = "function", initializer = "initializer",
        label = "label", left = "left", operator = "operator", right = "right", update = "update", value = "value",
    }
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_c::LANGUAGE.into());
static KINDS: LazyLock<Kinds> = LazyLock::new(|| Kinds::new(&LANGUAGE));

/// The node kinds.
pub(crate) fn kinds() -> &'static Kinds {
    &KINDS
}

/// A parser for C.
pub(crate) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE).expect("the grammar is built for this version of the library");
    parser
}
