var addTo = function(values, amount) {
    return values.map(value => value + amount)
}
