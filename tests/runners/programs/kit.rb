class Kit

=begin
    :type start: Integer
=end
    def initialize(start)
        @sum = start
    end

    def add(x)
        @sum += x
    end

    def total()
        @sum
    end

    def sort_values(nums)
        nums.sort!
    end

    def reversed_list(head)
        last = nil
        while head
            following = head.next
            head.next = last
            last, head = head, following
        end
        last
    end

    def mirrored(root)
        queue = root ? [root] : []
        until queue.empty?
            node = queue.shift
            node.left, node.right = node.right, node.left
            queue.concat([node.left, node.right].compact)
        end
        root
    end

    def depth_of(n)
        n == 0 ? 0 : 1 + depth_of(n - 1)
    end

    def noisy(s)
        puts s
        STDOUT.puts "[1,2]"
        s + s
    end

end
