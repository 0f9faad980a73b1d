describe("Cart.total", function()
  before_each(function()
    host.define("Cart.total", function(price, quantity) return price * quantity end)
  end)

  it("leaves a usual line as it is", function()
    assert.equal(19.0, host.call("Cart.total", 9.5, 2))
    assert.same({{9.5, 2}}, host.calls("Cart.total"))
  end)

  it("makes a negative line worth nothing, and logs it", function()
    assert.equal(0.0, host.call("Cart.total", 9.5, -2))
    assert.same({}, host.calls("Cart.total"))
    assert.same({"warn: negative quantity -2"}, host.logs())
  end)

  it("never fails", function()
    for quantity = -3, 3 do host.call("Cart.total", 1.0, quantity) end
    assert.same({}, host.failures())
    assert.is_true(host.fuel() < 100)
  end)
end)
