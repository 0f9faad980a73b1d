-- lint: unknown-tag in line 2
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- patchpack: ignore
-- lint: unknown-tag in line 2
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- patchpack: ignore undefined-globl
-- lint: unknown-tag in line 2
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
--patchpack:ignore nothing
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
x = nope --patchpack:ignore undefined-global
-- lint: undefined-global in line 2
-- lint: undefined-global in line 5
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
x = "-- patchpack: ignore undefined-global" y = nope
z = [[
-- patchpack: ignore undefined-global
]] w = nope
-- lint: replaces-unused in line 1
-- lint: unknown-function in line 2
-- lint: unknown-tag in line 2
-- @replaces Order.total
patch.replace('Order.totl', print) -- patchpack: ignore unknown-function
-- lint: undefined-global in line 2
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
x = nope
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
x = nope -- patchpack: ignore undefined-global
-- lint: none
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
-- patchpack: ignore arity, undefined-global
x = nope
-- lint: undefined-global in line 2
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
x = nope -- patchpack: ignore arity
-- lint: undefined-global in line 3
patch.replace('Order.total', function(original, a, b) return original(a, b) end)
y = nope -- patchpack: ignore undefined-global
x = nope
-- lint: none
patch.replace('Order.total', function(original, a, b) if type(a) == 'table' then a = #a end return original(a, b) end)
