extension SpecPrelude {
    /// Showing and comparing values.
    static let values = #"""
        local unpack = table.unpack
        local formatters = {}

        local function callable(value)
          local meta = debug.getmetatable(value)
          return type(value) == "function" or type(meta) == "table" and type(meta.__call) == "function"
        end

        local function has_text(value)
          local meta = debug.getmetatable(value)
          return type(value) == "string" or type(meta) == "table" and meta.__tostring ~= nil
        end

        local function in_order(a, b)
          if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
          return type(a) < type(b)
        end

        local function keys_of(value)
          local keys = {}
          for key in next, value do keys[#keys + 1] = key end
          table.sort(keys, in_order)
          return keys
        end

        local function show(value, depth, seen)
          depth, seen = depth or 0, seen or {}
          for i = #formatters, 1, -1 do
            local shown = formatters[i](value)
            if shown ~= nil then return tostring(shown) end
          end
          if type(value) == "string" then return (("%q"):format(value):gsub("\\\n", "\\n")) end
          if type(value) ~= "table" then return tostring(value) end
          if seen[value] then return "<cycle>" end
          if depth > 4 then return "{…}" end
          seen[value] = true
          local parts = {}
          for _, key in ipairs(keys_of(value)) do
            local shown = show(rawget(value, key), depth + 1, seen)
            if math.type(key) == "integer" and key >= 1 and key <= rawlen(value) then
              parts[#parts + 1] = shown
            elseif type(key) == "string" and key:match("^[%a_][%w_]*$") then
              parts[#parts + 1] = key .. " = " .. shown
            else
              parts[#parts + 1] = "[" .. show(key, depth + 1, seen) .. "] = " .. shown
            end
          end
          seen[value] = nil
          return "{" .. table.concat(parts, ", ") .. "}"
        end

        -- Whether a value is a matcher, and what it says of another; `doubles` fills it in.
        local matchers = setmetatable({}, {__mode = "k"})

        -- A table is compared by its `__eq` where both have the same one, but for the outermost.
        local function same(a, b, inside, seen)
          if matchers[b] then return matchers[b](a) end
          if matchers[a] then return matchers[a](b) end
          if type(a) ~= "table" or type(b) ~= "table" then return a == b end
          local meta, other = debug.getmetatable(a), debug.getmetatable(b)
          if meta and meta == other and meta.__eq then
            if inside then return a == b end
          elseif rawequal(a, b) then
            return true
          end
          seen = seen or {}
          if seen[a] == b then return true end
          seen[a] = b
          for key, value in next, a do
            if b[key] == nil or not same(value, b[key], true, seen) then return false end
          end
          for key in next, b do if a[key] == nil then return false end end
          seen[a] = nil
          return true
        end

        -- The places where two tables differ, at most so many.
        local function differences(expected, actual, path, found, seen)
          if #found >= 10 then return found end
          if type(expected) ~= "table" or type(actual) ~= "table" or matchers[expected] or seen[expected] then
            if not same(expected, actual, true) then
              local function shown(value) if value == nil then return "nothing" end return show(value, 3) end
              found[#found + 1] = "  " .. path .. ": expected " .. shown(expected) .. ", got " .. shown(actual)
            end
            return found
          end
          seen[expected] = true
          local keys = keys_of(expected)
          for _, key in ipairs(keys_of(actual)) do if expected[key] == nil then keys[#keys + 1] = key end end
          for _, key in ipairs(keys) do
            local name = type(key) == "string" and key:match("^[%a_][%w_]*$") and "." .. key or "[" .. show(key) .. "]"
            differences(expected[key], actual[key], path .. name, found, seen)
          end
          seen[expected] = nil
          return found
        end

        -- What a failed comparison says: short tables as they are, and of others where they differ.
        local function compared(expected, actual)
          local a, b = show(expected), show(actual)
          local text = "expected " .. a .. ", got " .. b
          if type(expected) ~= "table" or type(actual) ~= "table" then return text end
          local places = differences(expected, actual, "", {}, {})
          if #a + #b > 200 then text = "expected another table; they differ" end
          return #a + #b < 60 and text or text .. "\n" .. table.concat(places, "\n")
        end

        local function copy(value, done)
          if type(value) ~= "table" or matchers[value] or __spec.is_spy(value) then return value end
          done = done or {}
          if done[value] then return done[value] end
          local new = {}
          done[value] = new
          for key, member in next, value do new[key] = copy(member, done) end
          return debug.setmetatable(new, debug.getmetatable(value))
        end

        __spec.is_spy = function() return false end
        """#
}
