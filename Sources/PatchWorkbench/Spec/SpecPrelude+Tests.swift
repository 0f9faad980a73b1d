extension SpecPrelude {
    /// `describe`, `it` and the hooks; and what the runner calls.
    ///
    /// As in busted, the body of a `describe` runs when its turn comes, after the `setup` and the tests before it.
    static let tests = #"""
        local stderr = io.stderr
        -- The run would end, and all would seem well.
        os.exit = function() error("os.exit in a spec", 2) end

        local pending_meta = {}
        local root = {name = "", children = {}, hooks = {}, env = {}}
        local open = root         -- the block whose body runs
        local current, running    -- the test whose turn it is; whether it runs
        local scope               -- the test or the block whose code runs, if it is another than `open`
        local frames = {}         -- the blocks around it, each with the number of its next child

        -- Each block and each test has globals of its own, and sees those around it.
        local env = setmetatable({}, {
          __index = function(_, key)
            local block = scope or open
            while block do
              local value = block.env[key]
              if value ~= nil then return value end
              block = block.parent
            end
            return _G[key]
          end,
          __newindex = function(_, key, value) (scope or open).env[key] = value end,
        })

        local function line_of_caller()
          for level = 3, 8 do
            local info = debug.getinfo(level, "Sl")
            if info and info.source ~= "@patchpack" and info.what ~= "C" and info.currentline > 0 then return info.currentline end
          end
          return 0
        end

        local function element(what, name, body)
          if running then error(what .. " inside of a test, where it would never run", 3) end
          if body == nil and callable(name) then name, body = nil, name end
          if body ~= nil and not callable(body) then
            error(what .. " takes a name and a function, and this is a " .. type(body), 3)
          end
          name = name ~= nil and tostring(name) or ""
          local path = open.name
          if path ~= "" and name ~= "" then path = path .. " " end
          return {name = path .. name, body = body, parent = open, env = {}, line = line_of_caller()}
        end

        -- The body of `describe "name" (function() … end)`.
        local function giver(made)
          return function(body)
            if not callable(body) then error("a function is missing after the name", 2) end
            made.body, made.pending = body, nil
          end
        end

        local function block(what, is_apart)
          return function(name, body)
            local made = element(what, name, body)
            made.children, made.hooks, made.is_apart = {}, {}, is_apart
            if what == "expose" then made.env = open.env end
            table.insert(open.children, made)
            return not made.body and giver(made) or nil
          end
        end
        describe, insulate, expose = block("describe"), block("insulate", true), block("expose")
        context = describe

        function it(name, body)
          local made = element("it", name, body)
          made.pending = not made.body and tostring(name) or nil
          table.insert(open.children, made)
          return not made.body and giver(made) or nil
        end
        test, spec = it, it

        function pending(name, body)
          if running then error(setmetatable({text = name ~= nil and tostring(name) or ""}, pending_meta), 0) end
          local made = element("pending", name, body)
          made.pending = tostring(name)
          table.insert(open.children, made)
        end

        local function hook(kind)
          return function(name, body)
            local made = element(kind, name, body)
            if not made.body then error(kind .. " takes a function", 2) end
            open.hooks[kind] = open.hooks[kind] or {}
            table.insert(open.hooks[kind], made.body)
          end
        end
        before_each, after_each = hook("before_each"), hook("after_each")
        setup, teardown = hook("setup"), hook("teardown")
        strict_setup, strict_teardown = setup, teardown
        lazy_setup, lazy_teardown = hook("lazy_setup"), hook("lazy_teardown")
        function finally(body)
          if not running then error("finally outside of a test", 2) end
          running.finally = body
        end
        -- The order of tests is that of the file.
        function randomize() end

        -- MARK: modules

        local busted = {version = "2.1", subscribe = function() end, publish = function() end}
        for name, value in pairs {
          describe = describe, context = context, insulate = insulate, expose = expose, it = it, test = test, spec = spec,
          pending = pending, before_each = before_each, after_each = after_each, setup = setup, teardown = teardown,
          strict_setup = strict_setup, strict_teardown = strict_teardown, lazy_setup = lazy_setup, lazy_teardown = lazy_teardown,
          finally = finally, randomize = randomize, assert = assert, spy = spy, stub = stub, mock = mock, match = match,
          fail = function(message, level) error(message or "failed", (level or 1) + 1) end,
        } do busted[name] = value end
        for name, module in pairs {
          busted = busted, ["busted.runner"] = function() end, luassert = assert, ["luassert.assert"] = assert,
          ["luassert.spy"] = spy, ["luassert.stub"] = stub, ["luassert.mock"] = mock, ["luassert.match"] = match,
          ["luassert.array"] = true, ["luassert.assertions"] = true, ["luassert.matchers"] = true, say = say, ["luassert.say"] = say,
          ["luassert.util"] = {
            deepcompare = function(a, b, ignores_meta) return same(a, b, not ignores_meta) end, deepcopy = copy, callable = callable,
            hastostring = has_text, pack = table.pack, unpack = function(t, i, j) return unpack(t, i or 1, j or t.n or #t) end,
            shallowcopy = function(t) local new = {} for k, v in next, t do new[k] = v end return new end,
          },
        } do package.loaded[name] = module end

        -- MARK: running

        local function guard(body, ...)
          return xpcall(body, function(failure)
            if getmetatable(failure) == pending_meta then return failure end
            if type(failure) == "string" then return failure .. "\n" .. debug.traceback("", 2):gsub("^\n", "") end
            return has_text(failure) and tostring(failure) or "an error that is " .. show(failure)
          end, ...)
        end

        local function problem_of(body)
          __spec.begin()
          local ok, failure = guard(body)
          __spec.done()
          scope = nil
          if ok then return nil end
          return getmetatable(failure) == pending_meta and "pending outside of a test" or failure
        end

        local function call_hooks(block, kind)
          scope = block
          for _, body in ipairs(block.hooks[kind] or {}) do body() end
          scope = nil
        end

        local function enter(block)
          if block.is_apart then
            local globals, loaded = {}, {}
            for key, value in next, _G do globals[key] = value end
            for key, value in next, package.loaded do loaded[key] = value end
            block.restore = function()
              for key in next, _G do if globals[key] == nil then _G[key] = nil end end
              for key, value in next, globals do _G[key] = value end
              for key in next, package.loaded do if loaded[key] == nil then package.loaded[key] = nil end end
              for key, value in next, loaded do package.loaded[key] = value end
            end
          end
          open = block
          frames[#frames + 1] = {block = block, next = 1}
          local problem = problem_of(function()
            if block.body then block.body() end
            call_hooks(block, "setup")
          end)
          if problem then block.children = {} end
          return problem
        end

        local function leave(block)
          local problem = block.is_set_up and problem_of(function() call_hooks(block, "lazy_teardown") end)
          problem = problem_of(function() call_hooks(block, "teardown") end) or problem or nil
          if block.restore then block.restore() end
          frames[#frames] = nil
          open = block.parent or root
          return problem
        end

        local filter = {}
        local function is_wanted(name)
          if filter.only and not name:find(filter.only) or filter.out and name:find(filter.out) then return false end
          local function has_tag(tags)
            for tag in (tags or ""):gmatch("[^,%s]+") do
              for word in name:gmatch("#([^%s#]+)") do if word == tag:gsub("^#", "") then return true end end
            end
            return false
          end
          return (not filter.tags or has_tag(filter.tags)) and not has_tag(filter.not_tags)
        end

        local function report(block, problem)
          current = {name = block.name ~= "" and block.name or "the spec", line = block.line or 0, problem = problem}
          return current.name, current.line
        end

        -- Which tests are run: patterns for names, and lists of tags, each may be empty.
        __spec.select = function(only, out, tags, not_tags)
          local function given(text) return text ~= "" and text or nil end
          filter = {only = given(only), out = given(out), tags = given(tags), not_tags = given(not_tags)}
          for _, pattern in pairs {filter.only or "", filter.out or ""} do string.find("", pattern) end
        end

        -- Runs a spec's own body, which makes its tests.
        __spec.load = function(source, name)
          -- What specs share is beside them.
          local folder = name:match("^(.*)/[^/]*$") or "."
          package.path = folder .. "/?.lua;" .. folder .. "/?/init.lua;" .. package.path
          source = source:gsub("^\239\187\191", ""):gsub("^#[^\n]*", "")
          local body, message = load(source, "@" .. name, "t", env)
          if not body then return message end
          return problem_of(body)
        end

        -- Goes on to the next test: its name and line, or nothing after the last one.
        __spec.advance = function()
          if not root.is_entered then
            root.is_entered = true
            local problem = enter(root)
            if problem then return report(root, problem) end
          end
          while #frames > 0 do
            local frame = frames[#frames]
            local child = frame.block.children[frame.next]
            frame.next = frame.next + 1
            if not child then
              local problem = leave(frame.block)
              if problem then return report(frame.block, problem) end
            elseif child.children then
              local problem = enter(child)
              if problem then return report(child, problem) end
            elseif is_wanted(child.name) then
              current = child
              return child.name, child.line
            end
          end
        end

        -- Runs that test: how it ended, and what is to be said of it.
        __spec.run = function()
          if current.problem then return "failed", current.problem end
          if current.pending then return "pending", current.pending end
          running = current
          local spies = #made
          local reached = #frames
          local function run()
            for _, frame in ipairs(frames) do
              local block = frame.block
              if block.is_set_up == nil then
                block.is_set_up = false
                call_hooks(block, "lazy_setup")
                block.is_set_up = true
                spies = #made
              elseif not block.is_set_up then
                error("its lazy_setup failed", 0)
              end
            end
            for i, frame in ipairs(frames) do
              reached = i
              call_hooks(frame.block, "before_each")
            end
            scope = current
            current.body()
          end
          __spec.begin()
          local ok, failure = guard(run)
          __spec.done()
          __spec.begin()
          -- Each of them runs, whatever became of those before it.
          local cleaned, problem = true, nil
          local function clean(body)
            local good, fault = guard(body)
            if cleaned and not good then cleaned, problem = false, fault end
          end
          scope = current
          if current.finally then clean(current.finally) end
          for i = reached, 1, -1 do
            scope = frames[i].block
            for _, body in ipairs(frames[i].block.hooks.after_each or {}) do clean(body) end
          end
          __spec.done()
          for i = #made, spies + 1, -1 do made[i]:revert() made[i] = nil end
          running, scope = nil, nil
          if not ok and getmetatable(failure) == pending_meta then
            if cleaned then return "pending", failure.text end
            ok = true
          end
          if ok then ok, failure = cleaned, problem end
          if ok then return "passed", "" end
          if getmetatable(failure) == pending_meta then failure = "pending in a hook" end
          return "failed", failure
        end
        """#
}
