describe("the stock service", function()
  local stock, counts

  before_each(function()
    counts = {ink = 3}
    -- A table stands for an object of the app; its functions are the object's methods.
    stock = host.object("Stock", {count = function(self, item) return counts[item] or 0 end})
    host.define("Stock.available", function(_, item) return counts[item] or -1 end)
    host.define("Stock.reserve", function(_, item, count)
      counts[item] = counts[item] - count
      return true
    end)
  end)

  it("reserves the stock that there is", function()
    assert.is_true(host.call("Stock.reserve", stock, "ink", 2))
    assert.equal(1, counts.ink)
  end)

  it("reserves neither nothing nor more than there is", function()
    assert.is_false(host.call("Stock.reserve", stock, "ink", 0))
    assert.is_false(host.call("Stock.reserve", stock, "ink", 4))
    assert.equal(3, counts.ink)
    assert.same({}, host.calls("Stock.reserve"))
  end)

  it("has no less than nothing", function()
    assert.equal(0, host.call("Stock.available", stock, "glue"))
    assert.equal(3, host.call("Stock.available", stock, "ink"))
  end)
end)
