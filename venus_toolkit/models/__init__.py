"""Language models: clients that ask them (`client`, `in_process`), what is asked (`prompts`), what is answered."""
