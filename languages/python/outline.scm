; What core/syntax.py asks of a program; docs/languages.md explains the captures.
(function_definition name: (identifier) @definition)
(class_definition name: (identifier) @definition)
(module (expression_statement (assignment left: (identifier) @definition right: (lambda))))
(import_statement name: (dotted_name . (identifier) @definition))
(import_from_statement name: (dotted_name (identifier) @definition))
(aliased_import alias: (identifier) @definition)

(call function: (identifier) @use)
(attribute object: (identifier) @use)
(type (identifier) @use)
(decorator (identifier) @use)
(argument_list (identifier) @use)

((call function: (identifier) @input) (#any-of? @input "input" "raw_input"))
((identifier) @input (#any-of? @input "stdin" "fileinput"))
((call function: (identifier) @_name arguments: (argument_list . (integer) @_number)) @input
  (#eq? @_name "open") (#eq? @_number "0"))
((call function: (attribute attribute: (identifier) @_name) arguments: (argument_list . (integer) @_number)) @input
  (#any-of? @_name "read" "fdopen") (#eq? @_number "0"))
((string_content) @input (#eq? @input "/dev/stdin"))
(assignment left: (attribute attribute: (identifier) @not.input))

(comment) @literal
(string) @literal

(module (expression_statement [
  (attribute) (binary_operator) (boolean_operator) (comparison_operator) (conditional_expression) (dictionary)
  (ellipsis) (false) (float) (identifier) (integer) (list) (none) (not_operator) (parenthesized_expression) (set)
  (subscript) (true) (tuple) (unary_operator)]) @prose)
(module (expression_statement . (_) "," ) @prose)
(module (expression_statement (assignment type: (_) !right)) @prose)
