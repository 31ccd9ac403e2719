; What core/syntax.py asks of a program; docs/languages.md explains the captures.
(function_declaration name: (identifier) @definition)
(generator_function_declaration name: (identifier) @definition)
(class_declaration name: (identifier) @definition)
(method_definition name: (property_identifier) @definition)
(variable_declarator name: (identifier) @definition value: [(arrow_function) (function_expression) (class)])
(program (lexical_declaration (variable_declarator name: (identifier) @definition value: (call_expression))))
(assignment_expression left: (identifier) @definition right: [(arrow_function) (function_expression)])
(assignment_expression left: (member_expression property: (property_identifier) @definition)
  right: [(arrow_function) (function_expression)])

(call_expression function: (identifier) @use)
(new_expression constructor: (identifier) @use)
(member_expression object: (identifier) @use)
(class_heritage (identifier) @use)

((identifier) @input (#any-of? @input "readline" "prompt"))
((property_identifier) @input (#eq? @input "stdin"))
((string_fragment) @input (#any-of? @input "/dev/stdin" "readline" "readline/promises"))
((call_expression function: [(identifier) (member_expression property: (property_identifier) @_name)] @_function
  arguments: (arguments . (number) @_number)) @input
  (#match? @_function "(^|[.])(readFileSync|readSync|createReadStream)$") (#eq? @_number "0"))

(comment) @literal
(string) @literal
(template_string) @literal

(program (expression_statement [
  (array) (binary_expression) (false) (identifier) (member_expression) (null) (number) (object)
  (parenthesized_expression) (sequence_expression) (subscript_expression) (template_string) (ternary_expression)
  (true) (unary_expression)]) @prose)
(program (expression_statement (call_expression arguments: (template_string))) @prose)
(program (labeled_statement) @prose)
