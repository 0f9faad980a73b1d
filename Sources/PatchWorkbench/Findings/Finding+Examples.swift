// One table: for each code, a script that has the problem and one that does not.

extension Finding.Code {
    /// An example of the problem, and one of correct code.
    package var examples: (wrong: LintExample, right: LintExample) {
        switch self {
        case .tags:
            (
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "No tag has the version of the patch."),
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The head has @patch, @version, @app and @replaces.")
            )
        case .unknownTag:
            (
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    -- @expire   2030-01-01T00:00:00Z
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The patch does not expire, because the tag is @expires."),
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    -- @expires  2030-01-01T00:00:00Z
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "Each tag is one that pack reads.")
            )
        case .syntax:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity < 0 return 0 end
                      return original(price, quantity)
                    end)

                    """, "Lua's `if` needs a `then`."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity < 0 then return 0 end
                      return original(price, quantity)
                    end)

                    """, "The script compiles.")
            )
        case .undefinedGlobal:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return orignal(price, quantity)
                    end)

                    """, "`orignal` is nil, so each call fails."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity)
                    end)

                    """, "The name is the parameter's.")
            )
        case .notInSandbox:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      log.info(os.date() .. ": a total")
                      return original(price, quantity)
                    end)

                    """, "A patch has no clock and no files: `os` is nil."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      log.info("a total")
                      return original(price, quantity)
                    end)

                    """, "The app's log has the time of each line.")
            )
        case .loadError:
            (
                LintExample(
                    """
                    assert(host.has("Cart.discount"), "no discounts")
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "This app has no Cart.discount, so the patch is refused when it is loaded."),
                LintExample(
                    """
                    if not host.has("Cart.discount") then log.warn("no discounts") end
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The patch loads, whatever the app has.")
            )
        case .loadLimit:
            (
                LintExample(
                    """
                    local sum = 0
                    for number = 1, 10000000 do sum = sum + number end
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity) + sum
                    end)

                    """, "Ten million rounds take more fuel than loading may take."),
                LintExample(
                    """
                    local sum = 10000000 * 10000001 // 2
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity) + sum
                    end)

                    """, "A formula needs no loop.")
            )
        case .replacesNothing:
            (
                LintExample(
                    """
                    function total(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end

                    """, "The function is a global of the script, which the app does not see."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "`patch.replace` gives the function to the app.")
            )
        case .replacesMissing:
            (
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)
                    patch.replace("Cart.tax", function(original, price)
                      return 0
                    end)

                    """, "The head lists only Cart.total, so the app refuses the patch."),
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total, Cart.tax
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)
                    patch.replace("Cart.tax", function(original, price)
                      return 0
                    end)

                    """, "The head lists all that the script replaces.")
            )
        case .replacesUnused:
            (
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total, Cart.tax
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The head lists Cart.tax, which the script leaves as it is."),
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The head lists only the functions that the script replaces.")
            )
        case .unknownFunction:
            (
                LintExample(
                    """
                    patch.replace("Cart.totl", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The app has Cart.total, and no Cart.totl."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The name is in the app's interface.")
            )
        case .arity:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity, discount)
                      return original(price, quantity) - (discount or 0)
                    end)

                    """, "The app calls Cart.total with two arguments, so `discount` is always nil."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The parameters are the original, and the app's arguments.")
            )
        case .resultType:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return "free"
                    end)

                    """, "The app expects a number, so the original answers."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return 0
                    end)

                    """, "The answer has the type of the app's function.")
            )
        case .fileName:
            (
                LintExample(
                    [
                        (
                            "cart total.lua",
                            """
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price, quantity)
                            end)

                            """
                        )
                    ], "The name has a space."),
                LintExample(
                    [
                        (
                            "cart-total.lua",
                            """
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price, quantity)
                            end)

                            """
                        )
                    ], "The name has only letters, digits, - and _.")
            )
        case .duplicate:
            (
                LintExample(
                    [
                        (
                            "cart.lua",
                            """
                            -- @patch    com.example.shop.cart-total
                            -- @version  1
                            -- @app      com.example.shop
                            -- @replaces Cart.total
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price, math.max(0, quantity))
                            end)

                            """
                        ),
                        (
                            "copy.lua",
                            """
                            -- @patch    com.example.shop.cart-total
                            -- @version  1
                            -- @app      com.example.shop
                            -- @replaces Cart.total
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price, math.max(0, quantity))
                            end)

                            """
                        ),
                    ], "Both files say that they are version 1 of one patch."),
                LintExample(
                    [
                        (
                            "cart.lua",
                            """
                            -- @patch    com.example.shop.cart-total
                            -- @version  1
                            -- @app      com.example.shop
                            -- @replaces Cart.total
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price, math.max(0, quantity))
                            end)

                            """
                        ),
                        (
                            "newer.lua",
                            """
                            -- @patch    com.example.shop.cart-total
                            -- @version  2
                            -- @app      com.example.shop
                            -- @replaces Cart.total
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price, math.max(0, quantity))
                            end)

                            """
                        ),
                    ], "Each version has one script.")
            )
        case .encoding:
            (
                LintExample(
                    latin1: """
                        patch.replace("Cart.total", function(original, price, quantity)
                          log.info("café")
                          return original(price, quantity)
                        end)

                        """, "The file is saved in Latin-1, and the app refuses a string that is not UTF-8."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      log.info("café")
                      return original(price, quantity)
                    end)

                    """, "The file is saved in UTF-8.")
            )
        case .unusedScript:
            (
                LintExample(
                    [
                        (
                            "main.lua",
                            """
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price, math.max(0, quantity))
                            end)

                            """
                        ),
                        (
                            "tax.lua",
                            """
                            return 0.19

                            """
                        ),
                    ], isBundle: true, "Nothing requires `tax`, so it never runs."),
                LintExample(
                    [
                        (
                            "main.lua",
                            """
                            local rate = require "tax"
                            patch.replace("Cart.total", function(original, price, quantity)
                              return original(price * (1 + rate), quantity)
                            end)

                            """
                        ),
                        (
                            "tax.lua",
                            """
                            return 0.19

                            """
                        ),
                    ], isBundle: true, "The first script requires the other one.")
            )
        case .unusedLocal:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local total = original(price, quantity)
                      return math.max(0, price)
                    end)

                    """, "`total` is computed, and nothing reads it."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local total = original(price, quantity)
                      return math.max(0, total)
                    end)

                    """, "The computed value is used.")
            )
        case .shadowedLocal:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local total = 0
                      if quantity > 0 then
                        local total = original(price, quantity)
                        log.info(total)
                      end
                      return total
                    end)

                    """, "The inner `total` is another variable, so the answer is always 0."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local total = 0
                      if quantity > 0 then
                        total = original(price, quantity)
                        log.info(total)
                      end
                      return total
                    end)

                    """, "There is one `total`.")
            )
        case .operand:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original * 2
                    end)

                    """, "`original` is a function; a function times two is an error."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity) * 2
                    end)

                    """, "The function is called, and its result is a number.")
            )
        case .originalArguments:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price)
                    end)

                    """, "The app's function takes a price and a quantity."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity)
                    end)

                    """, "The original gets as many arguments as it takes.")
            )
        case .unknownClass:
            (
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    waxClass{"Crat"}
                    function total(self, price, quantity)
                      return self:ORIGtotal(price, quantity)
                    end
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The app has functions of Cart, and none of Crat."),
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    waxClass{"Cart"}
                    function total(self, price, quantity)
                      return self:ORIGtotal(price, quantity)
                    end

                    """, "The app has functions of this class.")
            )
        case .unknownMethod:
            (
                LintExample(
                    """
                    patch.replace("Cart.pay", function(original, wallet, cents)
                      return wallet:balanse() >= cents
                    end)

                    """, "A Wallet has the methods balance and spend."),
                LintExample(
                    """
                    patch.replace("Cart.pay", function(original, wallet, cents)
                      return wallet:balance() >= cents
                    end)

                    """, "The class exposes the method.")
            )
        case .unknownField:
            (
                LintExample(
                    """
                    patch.replace("Cart.sorted", function(original, items)
                      if #items > 0 then log.info(items[1].prise) end
                      return original(items)
                    end)

                    """, "An Item has a `price`, and no `prise`."),
                LintExample(
                    """
                    patch.replace("Cart.sorted", function(original, items)
                      if #items > 0 then log.info(items[1].price) end
                      return original(items)
                    end)

                    """, "The field is one of Item's.")
            )
        case .unknownCase:
            (
                LintExample(
                    """
                    patch.replace("Cart.meal", function(original, hour)
                      if hour < 11 then return "breakfast" end
                      return "lunsh"
                    end)

                    """, "A Meal is breakfast, lunch or dinner."),
                LintExample(
                    """
                    patch.replace("Cart.meal", function(original, hour)
                      if hour < 11 then return "breakfast" end
                      return "lunch"
                    end)

                    """, "The string is one of the enum's values.")
            )
        case .argument:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, "2")
                    end)

                    """, "The app takes no string for an integer, even if it reads like one."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, 2)
                    end)

                    """, "The argument has the type of the app's function.")
            )
        case .missingReturn:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity < 0 then return 0 end
                      original(price, quantity)
                    end)

                    """, "For all other quantities the replacement answers nil."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity < 0 then return 0 end
                      return original(price, quantity)
                    end)

                    """, "Each path ends with a `return`.")
            )
        case .mayBeNil:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return host.call("Cart.find", "tea").price * quantity
                    end)

                    """, "There may be no such item, and nil has no fields."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local item = host.call("Cart.find", "tea")
                      if not item then return original(price, quantity) end
                      return item.price * quantity
                    end)

                    """, "The value is tested first.")
            )
        case .mayNotFit:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity / 2)
                    end)

                    """, "Half of an odd quantity is not an integer, and then the call fails."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity // 2)
                    end)

                    """, "`//` divides to a whole number.")
            )
        case .alwaysFalse:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity == "0" then return 0 end
                      return original(price, quantity)
                    end)

                    """, "A number is never equal to a string."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity == 0 then return 0 end
                      return original(price, quantity)
                    end)

                    """, "Both sides are numbers.")
            )
        case .alwaysTrue:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity == 1 or 2 then return price end
                      return original(price, quantity)
                    end)

                    """, "`2` alone is true, whatever the quantity is."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity == 1 or quantity == 2 then return price end
                      return original(price, quantity)
                    end)

                    """, "The quantity is compared with each number.")
            )
        case .unreachable:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity < 0 then
                        error("a negative quantity")
                        log.warn("declined")
                      end
                      return original(price, quantity)
                    end)

                    """, "`error` never returns, so the log line is never written."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if quantity < 0 then
                        log.warn("declined")
                        error("a negative quantity")
                      end
                      return original(price, quantity)
                    end)

                    """, "The statement that ends the call comes last.")
            )
        case .endlessLoop:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local left = quantity
                      while left > 0 do log.info(price) end
                      return original(price, quantity)
                    end)

                    """, "Nothing in the loop changes `left`, so a call runs until its fuel ends."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local left = quantity
                      while left > 0 do
                        log.info(price)
                        left = left - 1
                      end
                      return original(price, quantity)
                    end)

                    """, "Each round brings the loop closer to its end.")
            )
        case .cannotThrow:
            (
                LintExample(
                    """
                    patch.replace("Cart.tax", function(original, price)
                      if price < 0 then host.throw("a negative price") end
                      return original(price)
                    end)

                    """, "Cart.tax does not throw, so the app has no place for the error."),
                LintExample(
                    """
                    patch.replace("Cart.tax", function(original, price)
                      if price < 0 then return 0 end
                      return original(price)
                    end)

                    """, "The replacement answers something that the app can use.")
            )
        case .callsItself:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return host.call("Cart.total", price, quantity)
                    end)

                    """, "`host.call` calls this replacement again, without an end."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, quantity)
                    end)

                    """, "`original` is the function that is replaced.")
            )
        case .calledTwice:
            (
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      if original(price, quantity) < 0 then return 0 end
                      return original(price, quantity)
                    end)

                    """, "The original runs at most once in a call; the second one is an error."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local total = original(price, quantity)
                      if total < 0 then return 0 end
                      return total
                    end)

                    """, "The result is kept.")
            )
        case .keepsState:
            (
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    local calls = 0
                    patch.replace("Cart.total", function(original, price, quantity)
                      calls = calls + 1
                      if calls == 1 then log.info("the first total") end
                      return original(price, quantity)
                    end)

                    """, "The patch may have several instances, and each counts for itself."),
                LintExample(
                    """
                    -- @patch    com.example.shop.cart-total
                    -- @version  1
                    -- @app      com.example.shop
                    -- @replaces Cart.total
                    -- @instances 1
                    local calls = 0
                    patch.replace("Cart.total", function(original, price, quantity)
                      calls = calls + 1
                      if calls == 1 then log.info("the first total") end
                      return original(price, quantity)
                    end)

                    """, "The head declares one instance.")
            )
        case .tooLarge:
            (
                LintExample(
                    "patch.replace(\"Cart.total\", function(original, price, quantity)\n"
                        + (1...900).map { "  if quantity == \($0) then host.call(\"Cart.total\", price, 1) end\n" }
                        .joined()
                        + "  return original(price, quantity)\nend)\n",
                    "Lint follows a limited number of paths, and this function has thousands."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      local tests = {}
                      for number = 1, 1100 do tests[number] = number end
                      for _, number in ipairs(tests) do
                        if quantity == number then log.info(number) end
                      end
                      return original(price, quantity)
                    end)

                    """, "A table and a loop do the same.")
            )
        case .spec:
            (
                LintExample(
                    """
                    -- cart_spec.lua
                    describe("Cart.total", function()
                      it("is never negative", function()
                        assert.equal(0, host.call("Cart.total", 9.5, -2))
                      end)
                    end)

                    """, "This is a spec, which runs beside a patch."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "A patch replaces functions.")
            )
        case .unreadable:
            (
                LintExample(
                    [
                        ("missing.lua", nil)
                    ], "The file is not there."),
                LintExample(
                    """
                    patch.replace("Cart.total", function(original, price, quantity)
                      return original(price, math.max(0, quantity))
                    end)

                    """, "The file can be read.")
            )
        }
    }
}
