-- outcome: answered 1
patch.replace("T.run", function(original, x)
  assert(('THE (quick) fox'):find('%f[%a]%a+%f[%A]') == 1)
  return x
end)
