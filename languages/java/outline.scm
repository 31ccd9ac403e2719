; What core/syntax.py asks of a program; docs/languages.md explains the captures.
(method_declaration name: (identifier) @definition)
(class_declaration name: (identifier) @definition)
(interface_declaration name: (identifier) @definition)
(enum_declaration name: (identifier) @definition)
(record_declaration name: (identifier) @definition)
(import_declaration) @preamble
(package_declaration) @preamble

(method_invocation !object name: (identifier) @use)
(method_invocation object: (identifier) @use)
(type_identifier) @use

((method_declaration name: (identifier) @entry) (#eq? @entry "main"))
((field_access object: (identifier) @_object field: (identifier) @_field) @input
  (#eq? @_object "System") (#eq? @_field "in"))

(line_comment) @literal
(block_comment) @literal
(string_literal) @literal

(program (expression_statement) @prose)
(program (labeled_statement) @prose)
(program (local_variable_declaration) @prose)
