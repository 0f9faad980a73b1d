-- outcome: failed script
patch.replace("T.run", function(original, x)
  local depth = 0
  local function f()
    depth = depth + 1
    log.info('deep ' .. depth)
    return (('x'):gsub('x', f))
  end
  return #f()
end)
