extension SpecPrelude {
    /// `assert` and its words, and the texts of those that a spec adds.
    static let assertions = #"""
        local plain_assert = assert

        -- MARK: texts

        local texts, language = {en = {}}, "en"
        local say = setmetatable({
          set_namespace = function(_, name) language = name texts[name] = texts[name] or {} end,
          set = function(_, key, text) texts[language][key] = text end,
          set_fallback = function(_, name) texts[name] = texts[name] or {} end,
        }, {__call = function(_, key, arguments)
          local text = texts[language][key] or texts.en[key]
          if type(text) ~= "string" then return text end
          local shown = {}
          for i = 1, arguments and (arguments.n or #arguments) or 0 do shown[i] = tostring(arguments[i]) end
          -- A text may ask for more than there is.
          for i = #shown + 1, select(2, text:gsub("%%[^%%]", "")) do shown[i] = "nil" end
          return text:format(unpack(shown))
        end})

        -- MARK: checks

        -- Each is called with its arguments and a state, and gives whether they fit, what to say if not, and what to give back.
        local checks, least, own_text = {}, {}, {}

        local function check(names, count, body, text_at)
          for name in names:gmatch("%S+") do checks[name], least[name], own_text[name] = body, count, text_at end
        end

        check("equal equals", 2, function(a) return a[1] == a[2], "expected " .. show(a[1]) .. ", got " .. show(a[2]) end, 3)
        check("same", 2, function(a) return same(a[1], a[2]), compared(a[1], a[2]) end, 3)
        check("near", 3, function(a)
          local expected, actual, tolerance = tonumber(a[1]), tonumber(a[2]), tonumber(a[3])
          if not expected or not actual or not tolerance then error("near takes three numbers", 0) end
          return actual >= expected - tolerance and actual <= expected + tolerance,
            "expected " .. show(a[1]) .. " within " .. show(a[3]) .. ", got " .. show(a[2])
        end, 4)
        check("true", 0, function(a) return a[1] == true, "expected true, got " .. show(a[1]) end, 2)
        check("false", 0, function(a) return a[1] == false, "expected false, got " .. show(a[1]) end, 2)
        check("truthy", 1, function(a) return a[1] and true or false, "expected something true, got " .. show(a[1]) end, 2)
        check("falsy", 1, function(a) return not a[1], "expected something false, got " .. show(a[1]) end, 2)
        for _, kind in ipairs {"nil", "boolean", "number", "string", "table", "function", "userdata", "thread"} do
          check(kind, 0, function(a)
            return type(a[1]) == kind, "expected " .. (kind == "nil" and kind or "a " .. kind) .. ", got " .. show(a[1])
          end, 2)
        end
        check("callable", 1, function(a) return callable(a[1]), "expected a function, got " .. show(a[1]) end, 2)
        check("unique", 1, function(a)
          local is_deep = a[2] == true or a[3] == true
          for i, one in pairs(a[1]) do for j, other in pairs(a[1]) do
            if i ~= j and (one == other or is_deep and same(one, other)) then
              return false, "expected no two the same in " .. show(a[1])
            end
          end end
          return true, "expected two the same in " .. show(a[1])
        end, 2)
        check("contains", 2, function(a)
          local found = false
          if type(a[2]) == "string" then
            found = a[2]:find(a[1], 1, true) ~= nil
          else
            for _, value in pairs(a[2]) do found = found or same(a[1], value) end
          end
          return found, "expected " .. show(a[1]) .. " in " .. show(a[2])
        end, 3)
        check("returned_arguments", 1, function(a)
          return a[1] == a.n - 1, "expected " .. show(a[1]) .. " values, got " .. show(a.n - 1)
        end)

        -- A text of one's own may come before or after what says where to begin.
        local function take_text(a, state)
          for i = 3, a.n do
            if a[i] and type(a[i]) ~= "boolean" and not tonumber(a[i]) then
              state.failure_message = table.remove(a, i)
              a.n = a.n - 1
              return
            end
          end
        end

        local function found(text, pattern, init, is_plain)
          if is_plain then
            local fits = text:find(pattern, init, true) ~= nil
            return fits, fits and {n = 1, pattern} or {n = 0}
          end
          local captures = table.pack(text:match(pattern, init))
          return captures[1] ~= nil, captures
        end

        check("match matches", 2, function(a, state)
          take_text(a, state)
          if type(a[1]) ~= "string" then error("matches takes a pattern first, and this is a " .. type(a[1]), 0) end
          local message = "expected a text like " .. show(a[1]) .. ", got " .. show(a[2])
          if not has_text(a[2]) and type(a[2]) ~= "number" then return false, message, table.pack(nil) end
          local fits, captures = found(tostring(a[2]), a[1], a[3], a[4])
          return fits, message, captures
        end)

        local function without_place(failure)
          return type(failure) == "string" and (failure:gsub("^.-:%d+: ", "", 1)) or failure
        end

        local function failure_of(body, name)
          if not callable(body) then error(name .. " takes a function, and this is a " .. type(body), 0) end
          local ok, failure = pcall(body)
          failure = without_place(failure)
          return ok, failure, has_text(failure) and tostring(failure) or failure
        end

        check("error errors", 1, function(a)
          local ok, failure, text = failure_of(a[1], "error")
          if ok then return false, "expected an error, and there was none", {n = a.n, failure, unpack(a, 2, a.n)} end
          local results = {n = a.n, failure, unpack(a, 2, a.n)}
          if a[2] == nil then return true, "expected no error, got " .. show(text), results end
          local fits
          if type(a[2]) == "string" and type(text) == "string" then
            fits = a[2] == text
            results[1] = text
          elseif type(a[2]) == "number" and type(text) == "string" then
            fits = tostring(a[2]) == tostring(tonumber(text))
          else
            fits = same(a[2], failure)
          end
          return fits, "expected the error " .. show(a[2]) .. ", got " .. show(text), results
        end, 3)
        check("error_matches error_match matches_error match_error", 2, function(a, state)
          take_text(a, state)
          local ok, _, text = failure_of(a[1], "error_matches")
          local results = {n = a.n, text, unpack(a, 2, a.n)}
          if ok then return false, "expected an error, and there was none", results end
          if type(text) == "number" or type(text) == "boolean" then text = tostring(text) end
          local message = "expected an error like " .. show(a[2]) .. ", got " .. show(text)
          if text == nil and a[2] == nil then return true, message, {n = 0} end
          if type(text) ~= "string" then return false, message, results end
          local fits, captures = found(text, a[2], a[3], a[4])
          return fits, message, fits and captures or results
        end)

        check("holes", 0, function(a, state)
          local list, length = state.payload, a[1]
          if list == nil then error("holes comes after array(…)", 0) end
          if not length then
            length = 0
            for key in pairs(list) do if math.type(key) == "integer" and key > length then length = key end end
          end
          for i = 1, length do
            if list[i] == nil then return true, "expected no hole in " .. show(list) .. ", and there is one at " .. i, {n = 1, i} end
          end
          return false, "expected a hole in " .. show(list), {n = 1}
        end)

        -- MARK: checks of spies

        local function payload(state, name)
          if not spy.is_spy(state.payload) then
            error(name .. " comes after spy(…), and this is " .. show(state.payload), 0)
          end
          return state.payload
        end

        check("called", 0, function(a, state)
          local self, times = payload(state, "called"), a[1]
          return self:called(times), "expected " .. (times and times .. " calls" or "a call") .. ", there were " .. #self.calls
        end)
        for name, compare in pairs {
          at_least = function(count, wanted) return count >= wanted end,
          at_most = function(count, wanted) return count <= wanted end,
          more_than = function(count, wanted) return count > wanted end,
          less_than = function(count, wanted) return count < wanted end,
        } do
          check("called_" .. name, 0, function(a, state)
            local self = payload(state, "called_" .. name)
            return self:called(a[1], compare),
              "expected " .. name:gsub("_", " ") .. " " .. show(a[1]) .. " calls, there were " .. #self.calls
          end)
        end
        local function lists(made)
          local all = {}
          for i, list in ipairs(made) do all[i] = {unpack(list.vals, 1, list.vals.n)} end
          return show(all)
        end
        check("called_with", 0, function(a, state)
          local self = payload(state, "called_with")
          return (self:called_with(a)), "expected a call with " .. show({unpack(a, 1, a.n)}) .. ", there were " .. lists(self.calls)
        end)
        check("returned_with", 0, function(a, state)
          local self = payload(state, "returned_with")
          return (self:returned_with(a)), "expected an answer of " .. show({unpack(a, 1, a.n)}) .. ", there were " .. lists(self.returnvals)
        end)

        -- MARK: assert

        local registered, modifiers = {}, {}
        local known = setmetatable({}, {__index = function(_, name) return registered[name] or checks[name] or modifiers[name] end})
        for _, name in ipairs {"spy", "stub", "array"} do
          modifiers[name] = function(state, a) state.payload = a[1] if a[2] ~= nil then state.failure_message = a[2] end end
        end
        modifiers.message = function(state, a) state.failure_message = a[1] end

        local function fail(message, own, level)
          if own ~= nil then message = (type(own) == "string" and own or show(own)) .. ": " .. tostring(message) end
          error(message, level + 1)
        end

        -- One of luassert's: it sets arguments to what it shows, and names its texts.
        local function call_registered(custom, state, a, level)
          local fits, results = custom.callback(state, a, level)
          if (not fits) ~= state.mod then return results end
          for i = 1, a.n or #a do if not (a.nofmt and a.nofmt[i]) then a[i] = show(a[i]) end end
          local key = state.mod and custom.positive or custom.negative
          fail(say(key, a) or key or "assertion failed!", rawget(state, "failure_message"), level + 1)
        end

        local state_meta = {}
        function state_meta.__index(self, key)
          for _, token in ipairs(tokens_of(tostring(key))) do table.insert(self.tokens, token) end
          return self
        end
        function state_meta.__call(self, ...)
          local name, negated = resolve(self.tokens, known, "assertion", 2)
          if negated then self.mod = not self.mod end
          local a = table.pack(...)
          rawset(self, "tokens", {})
          if not name then return self end
          if modifiers[name] then
            modifiers[name](self, a)
            return self
          end
          if registered[name] then
            local results = call_registered(registered[name], self, a, 2)
            if results then return unpack(results, 1, results.n or #results) end
            return ...
          end
          if a.n < least[name] then error(name .. " takes " .. least[name] .. " values, and this is " .. a.n, 2) end
          local text_at = own_text[name]
          if text_at and a[text_at] ~= nil and self.failure_message == nil and type(a[text_at]) ~= "boolean" then
            self.failure_message = a[text_at]
          end
          local done, fits, message, results = pcall(checks[name], a, self)
          if not done then error(fits, 2) end
          if (not fits) == self.mod then fail(self.mod and message or "not " .. message, self.failure_message, 2) end
          if results then return unpack(results, 1, results.n) end
          return ...
        end

        local function new_state()
          return setmetatable({mod = true, tokens = {}, payload = false, failure_message = nil}, {
            __index = function(self, key) if key == "failure_message" then return nil end return state_meta.__index(self, key) end,
            __call = state_meta.__call,
          })
        end

        local parameters, snapshots = {}, {}
        assert = setmetatable({
          register = function(_, kind, name, callback, positive, negative)
            name = name:lower()
            if kind == "matcher" then
              __spec.matchers[name] = callback
            elseif kind == "modifier" then
              modifiers[name] = callback
            else
              registered[name] = {callback = callback, positive = positive, negative = negative}
            end
          end,
          unregister = function(_, kind, name)
            (kind == "matcher" and __spec.matchers or kind == "modifier" and modifiers or registered)[name:lower()] = nil
          end,
          add_formatter = function(_, formatter) formatters[#formatters + 1] = formatter end,
          remove_formatter = function(_, formatter)
            for i = #formatters, 1, -1 do if formatters[i] == formatter then table.remove(formatters, i) return end end
          end,
          format = function(_, a) for i = 1, a.n or #a do a[i] = show(a[i]) end return a end,
          set_parameter = function(_, name, value) parameters[name] = value end,
          get_parameter = function(_, name) return parameters[name] end,
          add_spy = function(_, one) made[#made + 1] = one end,
          level = function(_, level) return {level = level} end,
          get_level = function(_, value) return type(value) == "table" and value.level or nil end,
          -- What is made after it is put back by its `revert`.
          snapshot = function()
            local spies, shown, old = #made, #formatters, {}
            for name, value in pairs(parameters) do old[name] = value end
            return {revert = function()
              for i = #made, spies + 1, -1 do made[i]:revert() made[i] = nil end
              for i = #formatters, shown + 1, -1 do formatters[i] = nil end
              parameters = old
            end}
          end,
        }, {
          __index = function(_, key) return new_state()[key] end,
          __call = function(_, value, message, level, ...)
            if not value then
              if message ~= nil and not has_text(message) then error(message, 0) end
              error(message == nil and "assertion failed!" or message, message == nil and 2 or 0)
            end
            return value, message, level, ...
          end,
        })
        """#
}
