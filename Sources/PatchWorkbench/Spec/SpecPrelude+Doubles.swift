extension SpecPrelude {
    /// Spies, stubs, mocks and matchers.
    static let doubles = #"""
        local made = {}  -- the spies of this test, which are put back after it
        local spy_meta = {}

        local of_objects = setmetatable({}, {__mode = "k"})  -- matchers of `ref`, which ask for the object itself

        -- What was given is compared as it was then, and not as it has become.
        local function fits(wanted, vals, refs)
          if wanted.n ~= vals.n then return false end
          for i = 1, wanted.n do
            local value = vals[i]
            if of_objects[wanted[i]] then value = refs[i] end
            if not same(wanted[i], value, true) then return false end
          end
          return true
        end

        local function any_fits(lists, wanted)
          for _, list in ipairs(lists) do if fits(wanted, list.vals, list.refs) then return true, list.vals end end
          return false, lists[#lists] and lists[#lists].vals
        end

        local function listed(...)
          local list = table.pack(...)
          return {vals = copy(list), refs = list}
        end

        function spy_meta.__call(self, ...)
          self.calls[#self.calls + 1] = listed(...)
          local results = table.pack(self.callback(...))
          self.returnvals[#self.returnvals + 1] = listed(unpack(results, 1, results.n))
          return unpack(results, 1, results.n)
        end

        local function new_spy(target)
          target = target or function() end
          if not callable(target) then error("a spy is of a function, and this is a " .. type(target), 3) end
          local self = setmetatable({calls = {}, returnvals = {}, callback = target}, spy_meta)
          function self:clear() self.calls, self.returnvals = {}, {} return self end
          function self:revert()
            if not self.reverted and self.target_table then self.target_table[self.target_key] = self.callback end
            self.reverted = true
            return self.callback
          end
          function self:called(times, compare)
            if times == nil then return #self.calls > 0, #self.calls end
            return (compare or function(count, wanted) return count == wanted end)(#self.calls, times), #self.calls
          end
          function self:called_with(wanted) return any_fits(self.calls, wanted) end
          function self:returned_with(wanted) return any_fits(self.returnvals, wanted) end
          made[#made + 1] = self
          return self
        end

        __spec.is_spy = function(value) return type(value) == "table" and getmetatable(value) == spy_meta end

        spy = setmetatable({
          new = function(target) return new_spy(target) end,
          on = function(object, name)
            local self = new_spy(object[name])
            object[name] = self
            self.target_table, self.target_key = object, name
            return self
          end,
          is_spy = __spec.is_spy,
        }, {__call = function(_, target) return new_spy(target) end})

        stub = setmetatable({new = function(object, name, ...)
          if object == nil and name == nil then object, name = {}, "" end
          if type(object) ~= "table" or name == nil then error("stub takes a table and the name of one of its functions", 2) end
          if object[name] ~= nil and not callable(object[name]) then error("a stub takes the place of a function", 2) end
          local original, given, cases = object[name], table.pack(...), {}
          local answer = given.n == 1 and callable(given[1]) and given[1]
            or function() return unpack(given, 1, given.n) end
          object[name] = function(...)
            local arguments = table.pack(...)
            for i = #cases, 1, -1 do if fits(cases[i].wanted, arguments, arguments) then return cases[i].answer(...) end end
            return answer(...)
          end
          local self = spy.on(object, name)
          function self:revert()
            if not self.reverted then object[name] = original end
            self.reverted = true
            return original
          end
          local function constant(...)
            local values = table.pack(...)
            return function() return unpack(values, 1, values.n) end
          end
          function self.returns(...) answer = constant(...) return self end
          function self.invokes(body) answer = body return self end
          self.by_default = {returns = self.returns, invokes = self.invokes}
          function self.on_call_with(...)
            local wanted = copy(table.pack(...))
            local function add(body) cases[#cases + 1] = {wanted = wanted, answer = body} return self end
            return {returns = function(...) return add(constant(...)) end, invokes = add}
          end
          return self
        end}, {__call = function(self, ...) return self.new(...) end})

        local function each_spy(object, action, seen)
          if spy.is_spy(object) then return object[action](object) end
          if type(object) ~= "table" or seen[object] then return object end
          seen[object] = true
          for _, member in pairs(object) do each_spy(member, action, seen) end
          return object
        end

        mock = setmetatable({
          new = function(object, is_stub, answer, owner, name, seen)
            seen = seen or {}
            if type(object) == "function" then
              if not owner then return spy.new(object) end
              if is_stub then return stub(owner, name, answer) end
              return spy.on(owner, name)
            end
            if type(object) == "table" and not spy.is_spy(object) and not seen[object] then
              seen[object] = true
              for _, key in ipairs(keys_of(object)) do mock.new(object[key], is_stub, answer, object, key, seen) end
            end
            return object
          end,
          clear = function(object) return each_spy(object, "clear", {}) end,
          revert = function(object) return each_spy(object, "revert", {}) end,
        }, {__call = function(self, ...) return self.new(...) end})

        -- MARK: matchers

        local matcher_meta = {}
        function matcher_meta.__call(self, value) return matchers[self](value) end
        local function matcher(body)
          local self = setmetatable({}, matcher_meta)
          matchers[self] = body
          return self
        end

        local kinds = {
          ["true"] = function() return function(value) return value == true end end,
          ["false"] = function() return function(value) return value == false end end,
          truthy = function() return function(value) return value and true or false end end,
          falsy = function() return function(value) return not value end end,
          near = function(expected, tolerance)
            expected, tolerance = tonumber(expected), tonumber(tolerance)
            return function(value) value = tonumber(value) return value ~= nil and math.abs(value - expected) <= tolerance end
          end,
          matches = function(pattern, init, is_plain)
            return function(value)
              return (has_text(value) or type(value) == "number") and tostring(value):find(pattern, init, is_plain) ~= nil
            end
          end,
          equals = function(expected) return function(value) return value == expected end end,
          same = function(expected) return function(value) return same(value, expected) end end,
          ref = function(expected) return function(value) return rawequal(value, expected) end end,
          unique = function(is_deep)
            return function(list)
              for i, a in pairs(list) do for j, b in pairs(list) do
                if i ~= j and (a == b or is_deep and same(a, b)) then return false end
              end end
              return true
            end
          end,
          all_of = function(...)
            local all = {...}
            return function(value) for _, one in ipairs(all) do if not one(value) then return false end end return true end
          end,
          any_of = function(...)
            local all = {...}
            return function(value) for _, one in ipairs(all) do if one(value) then return true end end return false end
          end,
          none_of = function(...)
            local all = {...}
            return function(value) for _, one in ipairs(all) do if one(value) then return false end end return true end
          end,
        }
        kinds.equal, kinds.match = kinds.equals, kinds.matches
        for _, kind in ipairs {"nil", "boolean", "number", "string", "table", "function", "userdata", "thread"} do
          kinds[kind] = function() return function(value) return type(value) == kind end end
        end
        local takes = {near = 2, matches = 1, match = 1, equals = 1, equal = 1, same = 1, ref = 1, all_of = 1, any_of = 1, none_of = 1}
        __spec.matchers = {}  -- those that a spec has registered

        local pass = {is = true, are = true, was = true, has = true, have = true, does = true, be = true, a = true, an = true}
        local turn = {["not"] = true, no = true, isnt = true}

        -- Splits `is_not_any_of` into words and the longest name that is known.
        local function resolve(tokens, known, what, level)
          local wanted, negated, from = nil, false, 1
          while from <= #tokens do
            local to = #tokens
            while to > from and not known[table.concat(tokens, "_", from, to)] do to = to - 1 end
            local name = table.concat(tokens, "_", from, to)
            if known[name] then
              wanted = name
            elseif turn[name] then
              negated = not negated
            elseif not pass[name] then
              error("no " .. what .. " called " .. name, level + 1)
            end
            from = to + 1
          end
          return wanted, negated
        end

        local function tokens_of(key)
          local tokens = {}
          for token in key:lower():gmatch("[^_]+") do tokens[#tokens + 1] = token end
          return tokens
        end

        local chain_meta = {}
        function chain_meta.__index(self, key)
          for _, token in ipairs(tokens_of(key)) do table.insert(self.tokens, token) end
          return self
        end
        function chain_meta.__call(self, ...)
          local known = setmetatable({}, {__index = function(_, name) return __spec.matchers[name] or kinds[name] end})
          local name, negated = resolve(self.tokens, known, "matcher", 2)
          if not name then error("no matcher called " .. table.concat(self.tokens, "_"), 2) end
          local custom = __spec.matchers[name]
          for i = 1, name:find("_of$") and select("#", ...) or 0 do
            if not matchers[select(i, ...)] then error(name .. " takes matchers", 2) end
          end
          local first, second = ...
          if name == "near" and not (tonumber(first) and tonumber(second)) then error("near takes two numbers", 2) end
          if (name == "match" or name == "matches") and type(first) ~= "string" then error(name .. " takes a pattern", 2) end
          if name == "ref" and type(first) ~= "table" and type(first) ~= "function" and type(first) ~= "userdata"
            and type(first) ~= "thread" then error("ref takes an object", 2) end
          if select("#", ...) < (takes[name] or 0) then error(name .. " takes " .. takes[name] .. " values", 2) end
          local body = custom and custom({mod = true}, table.pack(...), 2) or kinds[name](...)
          local made = matcher(function(value) return (body(value) and true or false) ~= negated end)
          if name == "ref" then of_objects[made] = true end
          return made
        end

        match = setmetatable({
          _ = matcher(function() return true end),
          is_matcher = function(value) return matchers[value] ~= nil end,
        }, {__index = function(_, key)
          if type(key) ~= "string" then return nil end
          return setmetatable({tokens = {}}, chain_meta)[key]
        end})
        """#
}
