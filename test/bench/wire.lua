-- Requests to /nic/update and /v1 for wrk. From the environment: MODE (unchanged, changed, wrong; get, put: of /v1), FROM and TO
-- (numbers of names), PER_KEY (names of one key), PASSWORD (for /v1 the API key). Names and keys are called as fill.ts calls them.
local mode, password = os.getenv("MODE"), os.getenv("PASSWORD")
local from, to, per_key = tonumber(os.getenv("FROM")), tonumber(os.getenv("TO")), tonumber(os.getenv("PER_KEY"))
local names = to - from + 1
local STRIDE = 7919 -- a prime, so that neighbours on disk are no neighbours in time

local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local function base64(text)
  local out = {}
  for at = 1, #text, 3 do
    local a, b, c = text:byte(at, at + 2)
    local bits = a * 65536 + (b or 0) * 256 + (c or 0)
    for shift = 3, 0, -1 do
      local digit = math.floor(bits / 64 ^ shift) % 64
      local is_padding = (shift == 0 and not c) or (shift == 1 and not b)
      out[#out + 1] = is_padding and "=" or LETTERS:sub(digit + 1, digit + 1)
    end
  end
  return table.concat(out)
end

local credentials = {}
local function credentials_of(key)
  local known = credentials[key]
  if known then return known end
  local said = mode == "wrong" and "wrong" or password
  credentials[key] = "Basic " .. base64(string.format("k%06d:%s", key, said))
  return credentials[key]
end

local function address_of(number, name)
  local first = mode == "unchanged" and 1 or 2 + math.floor(number / names) % 8
  local rest = mode == "unchanged" and name or number
  return string.format("%d.%d.%d.%d", first, math.floor(rest / 65536) % 256, math.floor(rest / 256) % 256, rest % 256)
end

-- Where the last run stopped, so that a changed address is another one each time.
local number = tonumber(os.getenv("START"))

local function api_request(name)
  local path = string.format("/v1/dns/records/bench.test/h%07d", name)
  local head = " HTTP/1.1\r\nHost: bench\r\nUser-Agent: Acme bench/1.0-1 me@example.test\r\nAuthorization: Bearer " .. password
  if mode == "get" then return "GET " .. path .. head .. "\r\n\r\n" end
  local body = string.format('{"value":"%s"}', address_of(number, name))
  return "PUT " .. path .. "/rrsets/A/rdata/_1" .. head
    .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

function request()
  number = number + 1
  local name = from + (number * STRIDE) % names
  if mode == "get" or mode == "put" then return api_request(name) end
  local key = 1 + math.floor((name - 1) / per_key)
  -- Each key is used from its own network, as in life; the service trusts us to say so. Wrong passwords come from
  -- elsewhere, and from a new network before the service stops looking at an old one (20 failures in ten minutes).
  local keys = names / per_key
  local network = mode == "wrong" and keys * math.floor(number / (10 * keys)) + key or key
  local peer = string.format("%d.%d.%d.%d", mode == "wrong" and 8 or 9, math.floor(network / 65536) % 256,
    math.floor(network / 256) % 256, network % 256)
  return "GET /nic/update?hostname=" .. string.format("h%07d.bench.test", name)
    .. "&myip=" .. address_of(number, name) .. " HTTP/1.1\r\nHost: bench\r\nUser-Agent: Acme bench/1.0-1 me@example.test"
    .. "\r\nX-Forwarded-For: " .. peer .. "\r\nAuthorization: " .. credentials_of(key) .. "\r\n\r\n"
end

local EXPECTED = { unchanged = "nochg", changed = "good ", wrong = "badau" }
local strange = 0

function response(status, headers, body)
  if EXPECTED[mode] == nil and status < 300 or body:sub(1, 5) == EXPECTED[mode] then return end
  strange = strange + 1
  if strange <= 3 then print("strange: " .. status .. " " .. body) end
end
