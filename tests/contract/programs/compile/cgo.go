package main

// #cgo CFLAGS: -fplugin=./plugin.so
// #cgo LDFLAGS: -Wl,-T,/etc/passwd
// #include "/etc/passwd"
import "C"

func main() {}
