int x = @DEEP@;
