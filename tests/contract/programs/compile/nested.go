package main

var x = @DEEP@
