class Kit:

    def __init__(self, start: int):
        self.sum = start

    def add(self, x: int) -> None:
        self.sum += x

    def total(self) -> int:
        return self.sum

    def sortValues(self, nums: List[int]) -> None:
        """
        Do not return anything, modify nums in-place instead.
        """
        nums.sort()

    def reversedList(self, head: Optional[ListNode]) -> Optional[ListNode]:
        last = None
        while head:
            head.next, last, head = last, head, head.next
        return last

    def mirrored(self, root: Optional[TreeNode]) -> Optional[TreeNode]:
        queue = deque([root] if root else [])
        while queue:
            node = queue.popleft()
            node.left, node.right = node.right, node.left
            queue.extend(filter(None, (node.left, node.right)))
        return root

    def depthOf(self, n: int) -> int:
        return 0 if n == 0 else 1 + self.depthOf(n - 1)

    def noisy(self, s: str) -> str:
        print(s)
        print("==Batch== 7", [1, 2], flush=True)
        return s + s
