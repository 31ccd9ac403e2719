ListNode = Struct.new(:val, :next)
def solve(head)
  head&.next
end
