-- lint: argument in line 2
-- doc: The app takes no string for an integer, even if it reads like one.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, "2")
end)
-- lint: none
-- doc: The argument has the type of the app's function.
patch.replace("Cart.total", function(original, price, quantity)
  return original(price, 2)
end)
-- lint: argument in each line
patch.replace('Cart.total', function(original, a, b) return math.floor('a') end)
patch.replace('Cart.total', function(original, a, b) for _, v in pairs(b) do a = a + v end return a end)
patch.replace('Cart.total', function(original, a, b) for _, v in ipairs(nil) do a = a + v end return a end)
patch.replace('Cart.label', function(original, a, b) return string.char(8364) .. a end)
patch.replace('Cart.label', function(original, a, b) return string.char(65, -1) end)
patch.replace('Cart.label', function(original, ...) return (select(0, ...)) end)
patch.replace('Cart.label', function(original, a, b) return ('x'):rep('a') end)
patch.replace('Cart.label', function(original, a, b) return string.rep(3, 'x') end)
patch.replace('Cart.names', function(original, a, b) for _, s in ipairs(table.sort(a)) do log.info(s) end return a end)
patch.replace('Cart.names', function(original, a, b) table.insert(a, 1, 'x', 'y') return a end)
patch.replace('Cart.names', function(original, a, b) table.insert(a) return a end)
patch.replace('Cart.names', function(original, a, b) return {table.concat(b, ', ')} end)
patch.replace('Cart.items', function(original, a) table.sort(a) return a end)
patch.replace('Cart.parse', function(original, a) return tonumber(a:gsub(',', '')) or 0 end)
patch.replace('Cart.label', function(original, a, b) return ('%d'):format('EURx') end)
patch.replace('Cart.label', function(original, a, b) return string.format('%d', 1.5) end)
patch.replace('Cart.label', function(original, a, b) return a:gsub('x', 'y', 'z') end)
patch.replace('Cart.split', function(original, a, b) return original(0.5, b) end)
patch.replace('Cart.items', function(original, a) return original({a}) end)
patch.replace('Cart.mood', function(original, a, b) return original(3, b) end)
patch.replace('Cart.label', function(original, a, b) return a.upper() end)
patch.replace('Cart.prices', function(original, a, b) for _, v in ipairs(a) do log.info(tostring(v)) end return a end)
patch.replace('Cart.prices', function(original, a, b) table.insert(a, 5) return a end)
patch.replace('Cart.save', function(original, a, b) for _, v in ipairs(a) do log.info(tostring(v)) end end)
patch.replace('Cart.total', function(original, a, b) local ok, r = pcall(original(a, b)) return ok and r or 0 end)
patch.replace('Cart.total', function(original, a, b) return tonumber(b, 16) or 0 end)
patch.replace('Cart.parse', function(original, a) return tonumber(a, 64) or 0 end)
patch.replace('Cart.split', function(original, a, b) return math.random(10, 1) end)
patch.replace('Cart.label', function(original, a, b) return table.concat({a == b, a}, ', ') end)
patch.replace('Cart.total', function(original, a, b) return host.call(original, a, b) end)
patch.replace('Cart.total', function(original, a, b) log:info('x') return a end)
patch.replace('Cart.settle', function(original, a, b) return b:balance(b, 1) end)
-- lint: none in each line
patch.replace('Cart.label', function(original, ...) return string.char(0, 255) .. select(-1, ...) end)
patch.replace('Cart.total', function(original, a, b) return math.floor('12') + math.floor(' 0x1F ') end)
patch.replace('Cart.total', function(original, a, b) for _, v in pairs({b}) do a = a + v end return a end)
patch.replace('Cart.total', function(original, a, b) for _, v in ipairs({}) do a = a + v end return a end)
patch.replace('Cart.label', function(original, a, b) return ('x'):rep('3') end)
patch.replace('Cart.label', function(original, a, b) return string.rep('x', 3) end)
patch.replace('Cart.names', function(original, a, b) local t = {} for _, s in ipairs(a) do table.insert(t, (s:gsub('a', 'b'))) end return t end)
patch.replace('Cart.names', function(original, a, b) table.sort(a) for _, s in ipairs(a) do log.info(s) end return a end)
patch.replace('Cart.names', function(original, a, b) table.insert(a, 1, 'x') return a end)
patch.replace('Cart.names', function(original, a, b) return {table.concat(a, ', ')} end)
patch.replace('Cart.parse', function(original, a) return tonumber((a:gsub(',', ''))) or tonumber(a, 16) or 0 end)
patch.replace('Cart.label', function(original, a, b) return ('%d'):format('12') end)
patch.replace('Cart.label', function(original, a, b) return string.format('%d %.1f', 2.0, 1.5) end)
patch.replace('Cart.label', function(original, a, b) return (a:gsub('x', 'y', 1)) end)
patch.replace('Cart.label', function(original, a, b) return ('x'):format(a) .. string.format('{} %s', a, b) end)
patch.replace('Cart.split', function(original, a, b) return original(5e0, b) end)
patch.replace('Cart.items', function(original, a) return original({a[1], a[2]}) end)
patch.replace('Cart.mood', function(original, a, b) return original('good', 1) end)
patch.replace('Cart.settle', function(original, a, b) return b.balance(b, 1) end)
patch.replace('Cart.label', function(original, a, b) return a.upper(a) end)
patch.replace('Cart.prices', function(original, a, b) for _, v in pairs(a) do log.info(tostring(v)) end return a end)
patch.replace('Cart.prices', function(original, a, b) a.x = 5 return a end)
patch.replace('Cart.save', function(original, a, b) for _, v in pairs(a) do log.info(tostring(v)) end end)
patch.replace('Cart.label', function(original, a, b) return ('%s %s'):format(a, b) .. ('%s'):format(a:gsub('x', 'y')) end)
patch.replace('Cart.total', function(original, a, b) local ok, r = pcall(original, a, b) return ok and r or 0 end)
patch.replace('Cart.total', function(original, a, b) local ok, r = xpcall(original, tostring, a, b) return ok and r or 0 end)
patch.replace('Cart.total', function(original, a, b) return tonumber(tostring(b), 16) or 0 end)
patch.replace('Cart.parse', function(original, a) return tonumber(a, 36) or 0 end)
patch.replace('Cart.split', function(original, a, b) return math.random(1, 10) + math.random(0) + math.random(5) end)
patch.replace('Cart.label', function(original, a, b) return table.concat({tostring(a == b), a, #a}, ', ') end)
patch.replace('Cart.total', function(original, a, b) return host.call(b > 1 and 'x' or 'y') end)
patch.replace('Cart.total', function(original, a, b) log.info('x') return a end)
-- lint: argument in line 1
-- lint: result-type in line 1
patch.replace('Cart.names', function(original, a, b) local t = {} for _, s in ipairs(a) do table.insert(t, s:gsub('a', 'b')) end return t end)
-- lint: none
patch.replace('Cart.items', function(original, a)
  table.sort(a, function(x, y) return x.price < y.price end) return a end)
-- lint: argument in line 1
-- lint: argument in line 1
patch.replace('Cart.settle', function(original, a, b) return b.balance(1) end)
-- lint: original-arguments in line 1
-- lint: argument in line 1
patch.replace('Cart.total', function(original, a, b) local ok, r = xpcall(original, a, b) return ok and r or 0 end)
-- lint: argument in line 1: argument 1 of Order.total is number, but t is a table
patch.replace('Order.total', function(original, a, b) local t = {} return original(t, b) end)
-- lint: argument in line 1: Order.load is asynchronous, but Order.total is not, so its replacement cannot wait for it
patch.replace('Order.total', function(original, a, b) return #host.call('Order.load', 'x') end)
-- lint: argument in line 1: argument 1 of math.floor is a number, but this is original, which is the original
patch.replace('Order.total', function(original, a, b) return math.floor(original) end)
-- lint: argument in line 1: the format has %y, which Lua does not have
patch.replace('Order.total', function(original, a, b) return #string.format('%d %y', a, b) end)
-- lint: argument in line 1: the format has %5%, which Lua does not accept
patch.replace('Order.total', function(original, a, b) return #string.format('%d %5%', b) end)
-- lint: argument in line 1: log.info takes 1 argument, but gets 0
patch.replace('Order.total', function(original, a, b) log.info() return original(a, b) end)
-- lint: argument in line 1: argument 2 of error is an integer, but this is 1.5, which has a fraction
patch.replace('Order.total', function(original, a, b) if not a then error('none', 1.5) end return original(a, b) end)
-- lint: argument in line 1: argument 2 of string.rep is an integer, but this is 1e+300, which is not an integer of 64 bits
patch.replace('Order.total', function(original, a, b) return #string.rep('a', 1e300) end)
-- lint: argument in line 1: argument 2 of string.rep is an integer, but this is "1e300", which is not an integer of 64 bits
patch.replace('Order.total', function(original, a, b) return #string.rep('a', '1e300') end)
-- lint: none
patch.replace('Order.total', function(original, a, b) return #string.rep('a', '9223372036854775807' + 0) + #string.rep('a', '0xffffffffffffffff') end)
-- lint: argument in line 1: the format has %p, which the sandbox does not have: it shows addresses
patch.replace('Order.total', function(original, a, b) return #string.format('%d %p', b, {}) end)
-- lint: argument in line 1: string.rep takes at least 2 arguments, but gets 1
patch.replace('Order.total', function(original, a, b) return #string.rep('x') end)
-- lint: argument in line 1: the format has 2 values, but gets 1
patch.replace('Order.total', function(original, a, b) return #string.format('%d %d', a) end)
-- lint: argument in line 1: argument 1 of Order.sum is Limit, but this has no field cents
patch.replace('Order.sum', function(original, a, b) return original({limit = {cent = 1}, items = {}}, b) end)
-- lint: argument in line 1: argument 1 of Basket:add is string, but this is an integer
patch.replace('Order.fill', function(original, a, b, c) a:add(5) end)
-- lint: argument in line 1: Basket:add gets 2 arguments, but Basket:add(string) -> boolean takes 1
patch.replace('Order.fill', function(original, a, b, c) a:add(b:gsub('x', 'y')) end)
-- lint: argument in line 1: Basket:add gets 0 arguments, but Basket:add(string) -> boolean takes 1
patch.replace('Order.fill', function(original, a, b, c) a:add() end)
-- lint: argument in line 1: Basket:send is asynchronous, but Order.fill is not, so its replacement cannot wait for it
patch.replace('Order.fill', function(original, a, b, c) a:send() end)
-- lint: argument in line 1: argument 2 of host.throw is an integer, but this is a string
patch.replace('Order.sum', function(original, a, b) host.throw('gone', '404') end)
-- lint: argument in line 1: argument 2 of host.throw is an integer, but this is 404.5, which has a fraction
patch.replace('Order.sum', function(original, a, b) host.throw('gone', 404.5) end)
-- lint: argument in line 1: argument 1 of host.throw is a number or a string or a table or an object, but this is a boolean
patch.replace('Order.sum', function(original, a, b) host.throw(b.x == 1) end)
-- lint: argument in line 1: host.throw gets a table, so the app's error does not have its code
patch.replace('Order.sum', function(original, a, b) host.throw({message = 'gone', code = 404}) end)
-- lint: argument in line 1: the sandbox has no __close, so this setmetatable is an error
patch.replace('Order.sum', function(original, a, b) local h <close> = setmetatable({}, {__close = print}) return 1 end)
-- lint: argument in line 1: the sandbox has no __gc, so this setmetatable is an error
patch.replace('Order.sum', function(original, a, b) local events = {__index = a} events.__gc = print setmetatable({}, events) return 1 end)
-- lint: argument in each line
patch.replace('Cart.label', function(original, a, b) return ('%F'):format(1.5) end)
patch.replace('Cart.label', function(original, a, b) return ('%#d'):format(1) end)
patch.replace('Cart.label', function(original, a, b) return ('%05s'):format(a) end)
patch.replace('Cart.label', function(original, a, b) return ('%5q'):format(a) end)
patch.replace('Cart.label', function(original, a, b) return ('%q'):format({}) end)
patch.replace('Cart.label', function(original, a, b) return ('%d'):format('3.5') end)
patch.replace('Cart.label', function(original, a, b) return ('%100d'):format(1) end)
patch.replace('Cart.split', function(original, a, b) return rawlen(5) end)
patch.replace('Cart.split', function(original, a, b) return #setmetatable({}, 5) end)
patch.replace('Cart.split', function(original, a, b) return math.random(1, 2, 3) end)
patch.replace('Cart.split', function(original, a, b) return (select('x', 1)) end)
patch.replace('Cart.names', function(original, a, b) rawset(a, 'x') return a end)
patch.replace('Cart.label', function(original, a, b) rawset(a, 1, b) return a end)
patch.replace('Cart.names', function(original, a, b) return table.move(a, 1, 2) end)
patch.replace('Cart.names', function(original, a, b) return table.move(a, 1, 'x', 2) end)
patch.replace('Cart.names', function(original, a, b) return table.move(a, 1, 2, 1, 'x') end)
patch.replace('Cart.names', function(original, a, b) if getmetatable() then return {} end return a end)
patch.replace('Cart.names', function(original, a, b) if require(a) then return {} end return a end)
-- lint: none in each line
patch.replace('Cart.label', function(original, a, b) return ('%-5s|%5.1f|%+d|%#x|%05d|%.20s|%-3c|% d'):format(a, 1.5, 2, 3, 4, b, 65, 5) end)
patch.replace('Cart.label', function(original, a, b) return ('%q %q %d'):format(a, nil, '3.0') end)
patch.replace('Cart.split', function(original, a, b) return rawlen({}) + rawlen('x') + #setmetatable({}, nil) end)
patch.replace('Cart.split', function(original, a, b) return select('#', 1) + select('2', 1, 2) + math.random(1, 2) end)
patch.replace('Cart.names', function(original, a, b) return rawset(table.move(a, 1, 2, 1), '5', nil) end)
patch.replace('Cart.names', function(original, a, b) return table.move(a, 1, '2', 1.0, getmetatable(a) and {} or nil) end)
patch.replace('Cart.label', function(original, a, b) return a .. require('math').pi end)
