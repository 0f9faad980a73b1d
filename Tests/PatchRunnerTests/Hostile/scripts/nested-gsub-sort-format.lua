-- outcome: failed script
patch.replace("T.run", function(original, x)
  local function f(n) return (('x'):rep(10):gsub('x', function() table.sort({3, 2, 1}, function(a, b) f(n + 1) return a < b end) return ('%s'):format(n) end)) end
  return #f(1)
end)
