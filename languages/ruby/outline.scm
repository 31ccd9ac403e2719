; What core/syntax.py asks of a program; docs/languages.md explains the captures.
(method name: (_) @definition)
(singleton_method name: (_) @definition)
(class name: (constant) @definition)
(module name: (constant) @definition)
(program (assignment left: [(identifier) (constant)] @definition right: (lambda)))
((program (call !receiver method: (identifier) @_name) @preamble)
  (#any-of? @_name "require" "require_relative"))

(call !receiver method: (identifier) @use)
(call receiver: (constant) @use)
(superclass (constant) @use)

((identifier) @input (#any-of? @input "gets" "readlines" "readline" "getc"))
((constant) @input (#any-of? @input "STDIN" "ARGF"))
((global_variable) @input (#any-of? @input "$stdin" "$<"))
((string_content) @input (#eq? @input "/dev/stdin"))
(assignment left: (global_variable) @not.input)

(comment) @literal
(string) @literal
(subshell) @literal
(heredoc_body) @literal

; Words are calls without parentheses: a sentence begins with a capital, or has several in a row.
(program [(constant) (subshell) (integer) (float) (array)] @prose)
(program (call !receiver method: (constant)) @prose)
(program (unary) @prose)
((program (identifier) @prose) (#match? @prose "[^ -~]"))
(program (call receiver: (integer) method: (constant)) @prose)
((call !receiver method: (constant) arguments: (argument_list) @_arguments) @prose (#not-match? @_arguments "^[(]"))
((call !receiver arguments: (argument_list . (call !receiver arguments: (argument_list .
  (call !receiver arguments: (argument_list) @_third)) @_second)) @_first) @prose
  (#not-match? @_first "^[(]") (#not-match? @_second "^[(]") (#not-match? @_third "^[(]"))
