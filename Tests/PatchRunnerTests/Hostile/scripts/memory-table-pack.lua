-- outcome: failed script-limit
patch.replace("T.run", function(original, x)
  local t = {}
  while true do t[#t + 1] = table.pack(table.unpack({}, 1, 250)) end
end)
