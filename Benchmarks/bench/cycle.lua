-- Sends the requests of a file over and over: wrk -s cycle.lua URL -- FILE FIRST
--
-- Each line holds method, path, token and body with tabs between them. Each request that is sent has
-- a traceparent that differs. All other bytes of the requests are made before the clock starts, so
-- that the client costs little and the same for every server.

local VALUE = "00-00000000000000000000000"
local PLACEHOLDER = "{traceparent}"

-- The bytes of each request in front of the digits that differ, and behind them.
local heads, tails, n = {}, {}, 0
-- Each number of three hexadecimal digits.
local digits, number = {}, 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    local method, path, token, body = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
    local headers = { ["traceparent"] = PLACEHOLDER }
    if token ~= "" then headers["Authorization"] = "Bearer " .. token end
    if body ~= "" then headers["Content-Type"] = "application/json" end
    if body == "" then body = nil end
    local text = wrk.format(method, path, headers, body)
    local first, last = text:find(PLACEHOLDER, 1, true)
    heads[#heads + 1] = text:sub(1, first - 1) .. VALUE
    tails[#tails + 1] = "-00000000000000b7-01" .. text:sub(last + 1)
  end
  for i = 0, 4095 do digits[i] = string.format("%03x", i) end
  n = tonumber(arguments[2])
end

function request()
  n = n % #heads + 1
  number = number + 1
  local low, middle = number % 4096, math.floor(number / 4096) % 4096
  return heads[n] .. digits[math.floor(number / 16777216) % 4096] .. digits[middle] .. digits[low]
    .. tails[n]
end
