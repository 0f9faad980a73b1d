-- lint: unused-script in dead.lua line 1
require('a')
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- file: a/b.lua
return {}
-- file: a/init.lua
return require 'a.b'
-- file: dead.lua
return 1
-- lint: none
local name = 'a' require(name)
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- file: a/b.lua
return {}
-- file: a/init.lua
return require 'a.b'
-- file: dead.lua
return 1
-- lint: none
pcall(require, 'dead')
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- file: a/b.lua
return {}
-- file: a/init.lua
return require 'a.b'
-- file: dead.lua
return 1
-- lint: none
require 'a\x62' require("\99\u{64}") require [[
e]] require "f\z
  g"
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- file: ab.lua
return {}
-- file: cd.lua
return {}
-- file: e.lua
return {}
-- file: fg.lua
return {}
-- lint: syntax in unused.lua line 2
require 'tax'
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- file: tax.lua
local x = 1
return prnt(x)
-- file: unused.lua
x =
-- lint: undefined-global in tax.lua line 2
require 'tax'
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- file: tax.lua
local x = 1
return {prnt, x}
-- lint: load-error in line 1
require 'tax'
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- file: tax.lua

error('no')
