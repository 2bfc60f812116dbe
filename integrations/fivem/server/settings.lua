-- The convars of the resource, read once. Set them in server.cfg with `set`, never with `setr` or `sets`: players read those.
Tapedeck = { resource = GetCurrentResourceName() }

local function read(name, default)
  return GetConvar('tapedeck:' .. name, default)
end

local events = {}
local words = read('events', 'none')
for _, word in ipairs({ 'join', 'leave', 'death', 'chat', 'resource', 'txadmin' }) do events[word] = words == 'all' end
if words ~= 'all' and words ~= 'none' then
  for word in words:gmatch('[^,%s]+') do
    if events[word] == nil then print(('[tapedeck] tapedeck:events does not know "%s".'):format(word)) end
    events[word] = true
  end
end

local base = GetConvar('web_baseUrl', '')

Tapedeck.settings = {
  url = (read('url', 'http://localhost:8787'):gsub('/+$', '')),
  token = read('token', ''),
  mediaToken = read('mediaToken', ''),
  dataset = read('dataset', 'default'),
  queueEntriesMax = tonumber(read('queueEntriesMax', '10000')) or 10000,
  events = events,
  -- Address where the service reaches this server; by default the one that the platform assigns.
  endpoint = (read('endpoint', base ~= '' and ('https://' .. base) or 'http://localhost:30120'):gsub('/+$', '')),
  reportCommand = read('reportCommand', 'report'), -- empty: none
}

-- Runs a function later. Nothing may block here, so everything is a callback.
function Tapedeck.after(ms, work)
  if SetTimeout then return SetTimeout(ms, work) end
  CreateThread(function()
    Wait(ms)
    work()
  end)
end

local startedAt = os.time() * 1000 - GetGameTimer()

-- Unix milliseconds.
function Tapedeck.now()
  return math.floor(startedAt + GetGameTimer())
end

function Tapedeck.escape(text)
  return (tostring(text):gsub('[^%w%-%._~]', function(character) return ('%%%02X'):format(character:byte()) end))
end
