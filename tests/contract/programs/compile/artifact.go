package main

var data = [1 << 30]byte{1<<30 - 1: 1}

func main() { println(data[len(data)/2]) }
