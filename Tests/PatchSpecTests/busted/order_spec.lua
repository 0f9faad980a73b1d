local log = {}
local function note(text) return function() log[#log + 1] = text end end

describe("outer", function()
  setup(note "setup")
  before_each(note "before")
  after_each("named", note "after")
  lazy_setup(note "lazy")
  it("first", function() assert.same({"setup", "lazy", "before"}, log) end)
  describe("inner", function()
    log[#log + 1] = "body"
    before_each(note "inner before")
    it("runs its body in its turn", function()
      assert.same({"setup", "lazy", "before", "after", "body", "before", "inner before"}, log)
    end)
  end)
  describe("broken", function() error("no body") end)
  it("goes on", function() finally(note "finally") end)
  it("saw finally", function() assert.equal("finally", log[#log - 2]) end)
  pending("not yet")
  it("waits", function() pending("for better days") end)
  it("without a body")
end)

describe("setup that fails", function()
  setup(function() error("no") end)
  it("is not run", function() end)
end)

describe("globals", function()
  it("makes one", function() made_here = 1 assert.equal(1, made_here) end)
  it("does not see it", function() assert.is_nil(made_here) end)
  insulate("apart", function()
    it("writes into _G", function() _G.written = true package.loaded.written = 1 end)
    it("sees it", function() assert.is_true(written) end)
  end)
  it("is clean again", function() assert.is_nil(written) assert.is_nil(package.loaded.written) end)
end)

describe("hooks that fail", function()
  before_each(function() error("before") end)
  it("is not run", function() end)
end)

describe("cleaning", function()
  local cleaned = {}
  after_each(function() cleaned[#cleaned + 1] = "first" end)
  after_each(function() cleaned[#cleaned + 1] = "second" end)
  it("fails", function() finally(function() error("nor this") end) end)
  it("all of it ran", function() assert.same({"first", "second"}, cleaned) end)
end)

describe "sugar" (function()
  it "is sweet" (function() end)
  it "and bitter" (function() error("no") end)
end)

describe("tags #slow", function() it("has one #net", function() end) end)
