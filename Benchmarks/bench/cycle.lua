-- Sends the requests of a file over and over: wrk -s cycle.lua URL -- FILE FIRST
--
-- Each line holds method, path, token and body with tabs between them. All requests are made before
-- the clock starts, so that the client costs little and the same for every server.

local requests, n = {}, 0

function init(arguments)
  for line in io.lines(arguments[1]) do
    local method, path, token, body = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
    local headers = {}
    if token ~= "" then headers["Authorization"] = "Bearer " .. token end
    if body ~= "" then headers["Content-Type"] = "application/json" end
    if body == "" then body = nil end
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
  n = tonumber(arguments[2])
end

function request()
  n = n % #requests + 1
  return requests[n]
end
