; What core/syntax.py asks of a program; docs/languages.md explains the captures.
(function_declarator declarator: (identifier) @definition)
(function_declarator declarator: (field_identifier) @definition)
(function_declarator declarator: (qualified_identifier name: (identifier) @definition))
(class_specifier name: (type_identifier) @definition body: (_))
(struct_specifier name: (type_identifier) @definition body: (_))
(enum_specifier name: (type_identifier) @definition body: (_))
(preproc_def name: (identifier) @definition)
(preproc_function_def name: (identifier) @definition)
(type_definition declarator: (type_identifier) @definition)
(alias_declaration name: (type_identifier) @definition)
(preproc_include) @preamble
(using_declaration) @preamble

(call_expression function: (identifier) @use)
(type_identifier) @use

((function_declarator declarator: (identifier) @entry) (#eq? @entry "main"))
((identifier) @input (#any-of? @input
  "cin" "scanf" "getchar" "getchar_unlocked" "gets" "fgets" "getline" "fread" "read" "stdin" "scanf_s" "mmap"))

(comment) @literal
(string_literal) @literal
(raw_string_literal) @literal

; macros, which only the preprocessor understands
(compound_statement (ERROR) @macro)
(compound_statement (expression_statement (MISSING ";") @macro))

(translation_unit (expression_statement) @prose)
(translation_unit (labeled_statement) @prose)
