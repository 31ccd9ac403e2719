; What core/syntax.py asks of a program; docs/languages.md explains the captures.
(function_item name: (identifier) @definition)
(struct_item name: (type_identifier) @definition)
(enum_item name: (type_identifier) @definition)
(trait_item name: (type_identifier) @definition)
(impl_item type: (type_identifier) @definition)
(macro_definition name: (identifier) @definition)
(const_item name: (identifier) @definition)
(type_item name: (type_identifier) @definition)
(use_declaration) @preamble

(call_expression function: (identifier) @use)
(call_expression function: (scoped_identifier path: (identifier) @use))
(type_identifier) @use
(token_tree (identifier) @use)

((function_item name: (identifier) @entry) (#eq? @entry "main"))
((identifier) @input (#any-of? @input "stdin" "read_line" "read_to_string"))

(line_comment) @literal
(block_comment) @literal
(string_literal) @literal
(raw_string_literal) @literal

(source_file (expression_statement) @prose)
