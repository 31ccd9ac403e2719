; What core/syntax.py asks of a program; docs/languages.md explains the captures.
(function_declaration name: (identifier) @definition)
(method_declaration name: (field_identifier) @definition)
(type_spec name: (type_identifier) @definition)
(source_file (var_declaration (var_spec name: (identifier) @definition)))
(source_file (const_declaration (const_spec name: (identifier) @definition)))
(package_clause) @preamble
(import_declaration) @preamble

(call_expression function: (identifier) @use)
(type_identifier) @use

((function_declaration name: (identifier) @entry) (#eq? @entry "main"))
((field_identifier) @input (#match? @input "^(Stdin|Scan|Scanf|Scanln)$"))

(comment) @literal
(raw_string_literal) @literal
(interpreted_string_literal) @literal

(source_file (expression_statement) @prose)
(source_file (labeled_statement) @prose)
