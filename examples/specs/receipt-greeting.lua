-- This spec catches the bug of examples/patches/receipt-greeting.lua: most customers have no title.
describe("Receipt.greeting", function()
  before_each(function()
    host.define("Receipt.greeting", function(customer, title) return "Dear " .. (title or "") .. " " .. customer end)
  end)

  it("names the title", function()
    assert.equal("Dear Dr. Ada", host.call("Receipt.greeting", "Ada", "Dr."))
  end)

  it("has one space without a title", function()
    assert.equal("Dear Ada", host.call("Receipt.greeting", "Ada", nil))
  end)
end)
