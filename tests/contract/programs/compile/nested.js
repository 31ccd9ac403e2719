x = @DEEP@
