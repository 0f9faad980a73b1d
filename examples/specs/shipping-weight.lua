local function order(quantity, grams)
  return {customer = "Ada", country = "DE", lines = {{item = {name = "lamp", price = 79, grams = grams}, quantity = quantity}}}
end

describe("Shipping.cost", function()
  it("counts the weight of every piece", function()
    assert.equal(4.9, host.call("Shipping.cost", order(1, 1500)))
    assert.equal(9.9, host.call("Shipping.cost", order(2, 1500)))
    assert.equal(14.9, host.call("Shipping.cost", order(3, 1500)))
  end)

  it("does not take returns off", function()
    assert.equal(4.9, host.call("Shipping.cost", order(-5, 1500)))
  end)
end)
