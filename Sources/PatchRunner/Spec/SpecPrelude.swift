/// What a spec finds besides Lua and `host`: `describe`, `it`, hooks, assertions and spies, in the habit of busted.
///
/// It is Lua because what it works on is: functions, tables, errors with their positions.
enum SpecPrelude {
    static let source = #"""
        local plain_assert, unpack = assert, table.unpack
        local tests, path, scopes, running = {}, {}, {}, nil
        -- The run would end, and all would seem well.
        os.exit = function() error("os.exit in a spec", 2) end
        local function outside(what) if running then error(what .. " inside of a test, where it would never run", 3) end end
        local spies = setmetatable({}, {__mode = "k"})

        -- MARK: describe and it

        local function full(name)
          local parts = {unpack(path)}
          parts[#parts + 1] = name
          return table.concat(parts, " ")
        end

        local function line_of_caller()
          for level = 3, 8 do
            local info = debug.getinfo(level, "Sl")
            if info and info.what ~= "C" and info.currentline > 0 then return info.currentline end
          end
          return 0
        end

        function describe(name, body)
          outside("describe")
          local scope = {before = {}, after = {}, setup = {}, teardown = {}}
          scopes[#scopes + 1] = scope
          path[#path + 1] = tostring(name)
          body()
          path[#path] = nil
          scopes[#scopes] = nil
        end
        context, insulate, expose = describe, describe, describe

        function it(name, body)
          outside("it")
          if not body then return pending(name) end
          tests[#tests + 1] = {name = full(tostring(name)), body = body, scopes = {unpack(scopes)}, line = line_of_caller()}
        end
        test, spec = it, it

        local pending_mark = {}
        function pending(name, body)
          if running then error(setmetatable({text = tostring(name)}, pending_mark), 0) end
          if #scopes > 0 or not body then
            tests[#tests + 1] = {name = full(tostring(name)), pending = tostring(name), scopes = {unpack(scopes)}, line = line_of_caller()}
          end
        end

        local function hook(list)
          return function(body) outside("a hook") plain_assert(scopes[#scopes], "outside of describe")[list][#scopes[#scopes][list] + 1] = body end
        end
        scopes[1] = {before = {}, after = {}, setup = {}, teardown = {}}
        before_each, after_each, setup, teardown = hook("before"), hook("after"), hook("setup"), hook("teardown")
        lazy_setup, lazy_teardown, strict_setup, strict_teardown = setup, teardown, setup, teardown
        function finally(body) current_finally = body end

        -- MARK: showing and comparing

        local function show(value, depth, seen)
          depth, seen = depth or 0, seen or {}
          if type(value) == "string" then return ("%q"):format(value) end
          if type(value) ~= "table" then return tostring(value) end
          if seen[value] then return "<cycle>" end
          if depth > 4 then return "{…}" end
          seen[value] = true
          local parts, keys = {}, {}
          for key in pairs(value) do keys[#keys + 1] = key end
          table.sort(keys, function(a, b)
            if type(a) == type(b) and (type(a) == "number" or type(a) == "string") then return a < b end
            return tostring(type(a)) < tostring(type(b))
          end)
          for _, key in ipairs(keys) do
            local shown = show(value[key], depth + 1, seen)
            if type(key) == "number" and math.type(key) == "integer" and key >= 1 and key <= #value then
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

        local matchers = setmetatable({}, {__mode = "k"})

        local function same(a, b, seen)
          if matchers[b] then return matchers[b](a) end
          if matchers[a] then return matchers[a](b) end
          if type(a) ~= "table" or type(b) ~= "table" then return a == b or (a ~= a and b ~= b) end
          if a == b then return true end
          seen = seen or {}
          if seen[a] == b then return true end
          seen[a] = b
          for key, value in pairs(a) do if not same(value, b[key], seen) then return false end end
          for key in pairs(b) do if a[key] == nil then return false end end
          return true
        end

        local kinds = {["nil"] = true, boolean = true, number = true, string = true, table = true, ["function"] = true, userdata = true, thread = true}
        match = setmetatable({}, {__index = function(_, name)
          name = name:gsub("^is_", "")
          return function()
            local matcher = {}
            matchers[matcher] = function(value)
              if name == "_" then return true end
              if name == "truthy" then return value and true or false end
              if name == "falsy" then return not value end
              return type(value) == name
            end
            if not (name == "_" or name == "truthy" or name == "falsy" or kinds[name]) then error("no matcher called " .. tostring(name), 2) end
            return matcher
          end
        end})
        match._ = {}
        matchers[match._] = function() return true end

        -- MARK: spies

        local function record(target)
          local self = {calls = {}, returnvals = {}}
          local function call(...)
            self.calls[#self.calls + 1] = {vals = table.pack(...)}
            local results = target and table.pack(target(...)) or {n = 0}
            self.returnvals[#self.returnvals + 1] = {vals = results}
            return unpack(results, 1, results.n)
          end
          function self.answer(answers) target = answers end
          function self:clear() self.calls, self.returnvals = {}, {} end
          function self:revert() if self.undo then self.undo() self.undo = nil end end
          local function called_with(...)
            local wanted = table.pack(...)
            for _, made in ipairs(self.calls) do
              local fits = made.vals.n == wanted.n
              for i = 1, wanted.n do fits = fits and same(made.vals[i], wanted[i]) end
              if fits then return true end
            end
            return false
          end
          self.called_with = called_with
          setmetatable(self, {__call = function(_, ...) return call(...) end})
          spies[self] = true
          return self
        end

        local reverts = {}
        spy = setmetatable({
          new = function(target) return record(target or function() end) end,
          on = function(object, name)
            local original = object[name]
            object[name] = record(original)
            object[name].undo = function() object[name] = original end
            reverts[#reverts + 1] = object[name]
            return object[name]
          end,
          is_spy = function(value) return spies[value] == true end,
        }, {__call = function(_, target) return record(target or function() end) end})

        stub = setmetatable({new = function(object, name, replacement)
          local made = record(type(replacement) == "function" and replacement or function() return replacement end)
          function made.returns(...)
            local values = table.pack(...)
            made.answer(function() return unpack(values, 1, values.n) end)
            return made
          end
          if object then
            local original = object[name]
            object[name] = made
            made.undo = function() object[name] = original end
            reverts[#reverts + 1] = made
          end
          return made
        end}, {__call = function(self, ...) return self.new(...) end})

        function mock(object, is_stub)
          for name, value in pairs(object) do
            if type(value) == "function" then if is_stub then stub(object, name) else spy.on(object, name) end end
          end
          return object
        end

        -- MARK: assertions

        local function fail(message, level) error(message, (level or 1) + 2) end

        local checks = {}
        function checks.equal(expected, actual) return expected == actual, "expected " .. show(expected) .. ", got " .. show(actual) end
        checks.equals = checks.equal
        function checks.same(expected, actual) return same(expected, actual), "expected " .. show(expected) .. ", got " .. show(actual) end
        function checks.near(expected, actual, tolerance)
          if type(actual) ~= "number" then return false, "expected a number near " .. show(expected) .. ", got " .. show(actual) end
          return math.abs(expected - actual) <= tolerance, "expected " .. show(expected) .. " within " .. show(tolerance) .. ", got " .. show(actual)
        end
        checks["true"] = function(value) return value == true, "expected true, got " .. show(value) end
        checks["false"] = function(value) return value == false, "expected false, got " .. show(value) end
        checks["nil"] = function(value) return value == nil, "expected nil, got " .. show(value) end
        function checks.truthy(value) return value and true or false, "expected something true, got " .. show(value) end
        function checks.falsy(value) return not value, "expected something false, got " .. show(value) end
        for _, kind in ipairs {"boolean", "number", "string", "table", "function", "userdata", "thread"} do
          checks[kind] = function(value) return type(value) == kind, "expected a " .. kind .. ", got " .. show(value) end
        end
        checks.callable = function(value)
          local meta = getmetatable(value)
          return type(value) == "function" or type(meta) == "table" and meta.__call ~= nil, "expected a function, got " .. show(value)
        end
        function checks.unique(list)
          for i, a in ipairs(list) do for j, b in ipairs(list) do if i ~= j and same(a, b) then return false, "expected no two the same in " .. show(list) end end end
          return true, "expected two the same in " .. show(list)
        end
        local function text_of(failure)
          if type(failure) == "userdata" or type(failure) == "table" and getmetatable(failure) and getmetatable(failure).__tostring then return tostring(failure) end
          return failure
        end
        local function without_place(text) return type(text) == "string" and text:gsub("^[^\n:]+:%d+: ", "") or text end
        function checks.error(body, expected)
          local ok, failure = pcall(body)
          if ok then return false, "expected an error, and there was none" end
          if expected == nil then return true, "expected no error, got " .. show(text_of(failure)) end
          local text = text_of(failure)
          return same(expected, text) or same(expected, without_place(text)), "expected the error " .. show(expected) .. ", got " .. show(text)
        end
        checks.errors = checks.error
        function checks.error_matches(body, pattern, init, is_plain)
          local ok, failure = pcall(body)
          if ok then return false, "expected an error, and there was none" end
          local text = tostring(text_of(failure))
          return text:find(pattern, init or 1, is_plain) ~= nil, "expected an error like " .. show(pattern) .. ", got " .. show(text)
        end
        checks.error_match = checks.error_matches
        function checks.matches(pattern, text, init, is_plain)
          return type(text) == "string" and text:find(pattern, init or 1, is_plain) ~= nil, "expected a text like " .. show(pattern) .. ", got " .. show(text)
        end
        checks.match = checks.matches
        function checks.contains(part, whole)
          if type(whole) == "string" then return whole:find(part, 1, true) ~= nil, "expected " .. show(part) .. " in " .. show(whole) end
          for _, value in pairs(whole) do if same(part, value) then return true, "expected no " .. show(part) .. " in " .. show(whole) end end
          return false, "expected " .. show(part) .. " in " .. show(whole)
        end

        -- How many values a check takes; a text behind them is the test's own message.
        local arity = {[checks.equal] = 2, [checks.same] = 2, [checks.near] = 3, [checks.contains] = 2, [checks.unique] = 1}
        for _, name in ipairs {"true", "false", "nil", "truthy", "falsy", "boolean", "number", "string", "table", "function", "userdata", "thread", "callable"} do
          arity[checks[name]] = 1
        end

        local words = {is = true, are = true, was = true, has = true, have = true, be = true, does = true, a = true, an = true, returned = true}
        local negations = {["not"] = true, Not = true, no = true, isnt = true, is_not = true, are_not = true, was_not = true, has_no = true}

        local function spied(value, level)
          if not spies[value] then fail("expected a spy, got " .. show(value), level) end
          return value
        end

        local function chain(negated, target)
          local node = {}
          return setmetatable(node, {
            __index = function(_, key)
              if words[key] then return chain(negated, target) end
              if key == "message" then return function() return chain(negated, target) end end
              if negations[key] then return chain(not negated, target) end
              if target then
                local negated = negated
                -- was_called, was_not_called_with …
                local word, rest = key:match("^(%a+)_(.+)$")
                while word and (words[word] or negations[word]) do
                  if negations[word] then negated = not negated end
                  key, word, rest = rest, rest:match("^(%a+)_(.+)$")
                end
                return function(...)
                  local fits, message
                  if key == "called" then
                    local wanted = ...
                    fits = wanted == nil and #target.calls > 0 or #target.calls == wanted
                    message = "expected " .. (wanted and wanted .. " calls" or "a call") .. ", there were " .. #target.calls
                  elseif key == "called_with" then
                    fits, message = target.called_with(...), "expected a call with " .. show({...}) .. ", there were " .. show((function()
                      local made = {}
                      for i, call in ipairs(target.calls) do made[i] = {unpack(call.vals, 1, call.vals.n)} end
                      return made
                    end)())
                  elseif key == "called_at_least" then
                    fits, message = #target.calls >= ..., "expected " .. ... .. " calls or more, there were " .. #target.calls
                  elseif key == "called_at_most" then
                    fits, message = #target.calls <= ..., "expected " .. ... .. " calls at most, there were " .. #target.calls
                  else
                    fail("no assertion " .. key .. " of spies")
                  end
                  if negated then fits, message = not fits, "not " .. message end
                  if not fits then fail(message) end
                  return target
                end
              end
              if key == "spy" or key == "stub" then return function(value) return chain(negated, spied(value, 1)) end end
              local negated, check = negated, checks[key] or checks[key:lower()]
              if not check then
                -- is_true, are_same, is_not_nil, has_error, was_called …
                local word, rest = key:match("^(%a+)_(.+)$")
                while word and not check do
                  if negations[word] then negated = not negated elseif not words[word] then break end
                  check, word, rest, key = checks[rest], rest:match("^(%a+)_(.+)$"), rest:match("^%a+_(.+)$"), rest
                end
              end
              if not check then fail("no assertion called " .. tostring(key)) end
              return function(...)
                local fits, message = check(...)
                if negated then fits, message = not fits, "not " .. message end
                local own = arity[check] and select("#", ...) > arity[check] and select(arity[check] + 1, ...)
                if type(own) == "string" then message = own .. ": " .. message end
                if not fits then fail(message) end
                return ...
              end
            end,
            __call = function(_, value, message, ...)
              if target then fail("an assertion of a spy is missing") end
              if negated then value = not value end
              if not value then error(message == nil and "assertion failed!" or message, message == nil and 2 or 0) end
              return value, message, ...
            end,
          })
        end
        assert = chain(false)

        -- MARK: what the runner calls

        local function guard(body)
          return xpcall(body, function(failure)
            if getmetatable(failure) == pending_mark then return failure end
            if type(failure) == "string" then return failure .. "\n" .. debug.traceback("", 2):gsub("^\n", "") end
            return tostring(failure)
          end)
        end

        local started = {}

        __spec.count = function() return #tests end
        __spec.describe = function(i) return tests[i].name, tests[i].line end
        __spec.run = function(i)
          local test = tests[i]
          if test.pending then return "pending", test.pending end
          current_finally = nil
          running = true
          local ok, failure = guard(function()
            for _, scope in ipairs(test.scopes) do
              if started[scope] == "failed" then error("its setup failed", 0) end
              if not started[scope] then
                started[scope] = "failed"
                for _, body in ipairs(scope.setup) do body() end
                started[scope] = "done"
              end
            end
            for _, scope in ipairs(test.scopes) do for _, body in ipairs(scope.before) do body() end end
            test.body()
          end)
          local cleaned, problem = guard(function()
            if current_finally then current_finally() end
            for s = #test.scopes, 1, -1 do
              for b = #test.scopes[s].after, 1, -1 do test.scopes[s].after[b]() end
            end
            for s = #test.scopes, 1, -1 do
              local scope, last = test.scopes[s], true
              for j = i + 1, #tests do if not tests[j].pending then for _, other in ipairs(tests[j].scopes) do if other == scope then last = false end end end end
              if last then for _, body in ipairs(scope.teardown) do body() end end
            end
          end)
          for r = #reverts, 1, -1 do reverts[r]:revert() end
          reverts = {}
          running = nil
          if getmetatable(failure) == pending_mark then return "pending", failure.text end
          if ok then ok, failure = cleaned, problem end
          if ok then return "passed", "" end
          return "failed", failure
        end
        """#
}
