-- lint: spec in line 2
-- doc: This is a spec, which runs beside a patch.
-- cart_spec.lua
describe("Cart.total", function()
  it("is never negative", function()
    assert.equal(0, host.call("Cart.total", 9.5, -2))
  end)
end)
-- lint: none
-- doc: A patch replaces functions.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, math.max(0, quantity))
end)
-- lint: spec in line 2:1
local total = 1
describe('Cart', function() it('works', function() prnt(x) end) end)
-- lint: load-error in line 1
describe('Cart')
function describe(x) end
describe('Cart')
