def add_to(values, amount)
  values.map { |value| value + amount }
end
