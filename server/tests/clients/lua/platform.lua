-- What both games provide: JSON, a clock that stops while nothing waits, and requests, which the test sends for the script.
local platform = {}

local function encodeText(text)
  if not utf8.len(text) then error('not valid UTF-8') end
  return '"' .. text:gsub('[%c"\\]', function(character)
    return ('\\u%04x'):format(character:byte())
  end) .. '"'
end

local function encode(value)
  local kind = type(value)
  if kind == 'nil' then return 'null' end
  if kind == 'boolean' then return tostring(value) end
  if kind == 'string' then return encodeText(value) end
  if kind == 'number' then return ('%.17g'):format(value) end
  if kind ~= 'table' then error('JSON cannot represent a ' .. kind) end
  local parts = {}
  if next(value) == nil or #value > 0 then -- an empty table is a list, as in both games
    for _, inner in ipairs(value) do parts[#parts + 1] = encode(inner) end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  for key, inner in pairs(value) do
    if type(key) ~= 'string' then error('keys must be strings') end
    parts[#parts + 1] = encodeText(key) .. ':' .. encode(inner)
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

local escapes = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }

local decodeAt

local function decodeText(text, at)
  local parts = {}
  while true do
    local stop = text:find('["\\]', at) or error('unterminated string')
    parts[#parts + 1] = text:sub(at, stop - 1)
    if text:sub(stop, stop) == '"' then return table.concat(parts), stop + 1 end
    local letter = text:sub(stop + 1, stop + 1)
    if letter == 'u' then
      parts[#parts + 1] = utf8.char(tonumber(text:sub(stop + 2, stop + 5), 16))
      at = stop + 6
    else
      parts[#parts + 1] = escapes[letter] or error('unknown escape')
      at = stop + 2
    end
  end
end

local function decodeList(text, at)
  local list = {}
  at = text:find('%S', at)
  if text:sub(at, at) == ']' then return list, at + 1 end
  while true do
    list[#list + 1], at = decodeAt(text, at)
    at = text:find('%S', at)
    if text:sub(at, at) == ']' then return list, at + 1 end
    at = at + 1
  end
end

local function decodeObject(text, at)
  local object = {}
  at = text:find('%S', at)
  if text:sub(at, at) == '}' then return object, at + 1 end
  while true do
    local key
    key, at = decodeText(text, text:find('"', at, true) + 1)
    object[key], at = decodeAt(text, text:find(':', at, true) + 1)
    at = text:find('%S', at)
    if text:sub(at, at) == '}' then return object, at + 1 end
    at = at + 1
  end
end

local words = { t = { true, 4 }, f = { false, 5 }, n = { nil, 4 } }

function decodeAt(text, at)
  at = text:find('%S', at) or error('unexpected end')
  local first = text:sub(at, at)
  if first == '{' then return decodeObject(text, at + 1) end
  if first == '[' then return decodeList(text, at + 1) end
  if first == '"' then return decodeText(text, at + 1) end
  local word = words[first]
  if word then return word[1], at + word[2] end
  local number = text:match('^-?[%d.eE+-]+', at) or error('invalid JSON')
  return tonumber(number), at + #number
end

platform.encode = encode
platform.decode = function(text) return (decodeAt(text, 1)) end

local input, output, begunAt = io.stdin, io.stdout, os.time()
local nowMs, timers, count = 0, {}, 0

function platform.nowMs() return nowMs end
function platform.unixSeconds() return begunAt + nowMs // 1000 end

function platform.after(ms, work)
  count = count + 1
  timers[#timers + 1] = { at = nowMs + ms, number = count, work = work }
end

-- Runs waiting functions in order, until none is left or the time is up.
function platform.run(untilMs)
  while true do
    local first
    for index, timer in ipairs(timers) do
      local best = first and timers[first]
      if not best or timer.at < best.at or (timer.at == best.at and timer.number < best.number) then first = index end
    end
    if not first or timers[first].at > untilMs then break end
    local timer = table.remove(timers, first)
    nowMs = math.max(nowMs, timer.at)
    timer.work()
  end
  nowMs = untilMs
end

-- Returns the response, or nil if there is none.
function platform.request(request)
  request.atMs = nowMs
  output:write('request ' .. encode(request) .. '\n')
  output:flush()
  local answer = platform.decode(input:read('l'))
  return answer.status and answer or nil
end

function platform.report(value)
  output:write('reported ' .. encode(value) .. '\n')
end

-- Removes what neither game has.
function platform.close()
  io, require, dofile, loadfile = nil, nil, nil, nil
  os = { time = os.time, clock = os.clock, date = os.date }
end

return platform
