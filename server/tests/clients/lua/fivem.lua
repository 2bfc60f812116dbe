-- A FiveM server as a resource sees it: callbacks, no blocking threads, and players that the test creates.
local folder, testFile = arg[1], arg[2]
local platform = dofile(arg[0]:gsub('[^/]+$', 'platform.lua'))
local manifest = {}
for _, name in ipairs({ 'fx_version', 'games', 'game', 'lua54', 'name', 'description', 'version', 'server_scripts', 'client_script' }) do
  _G[name] = function(value) manifest[name] = value end
end
dofile(folder .. '/fxmanifest.lua')
assert(manifest.lua54 == 'yes' and manifest.fx_version == 'cerulean')
local test = assert(loadfile(testFile))
local scripts = {}
for index, name in ipairs(manifest.server_scripts) do scripts[index] = assert(loadfile(folder .. '/' .. name)) end
assert(loadfile(folder .. '/' .. manifest.client_script))
platform.close()

json = { encode = platform.encode, decode = platform.decode }
server = { convars = {}, players = {}, handlers = {}, sent = {}, commands = {}, printed = {}, run = platform.run, report = platform.report }

function print(...)
  server.printed[#server.printed + 1] = table.concat({ ... }, ' ')
end

function GetConvar(name, usual) return server.convars[name] or usual end
function GetCurrentResourceName() return 'tapedeck' end
function GetInvokingResource() return server.invoking end
function GetGameTimer() return platform.nowMs() end
function os.time() return platform.unixSeconds() end
function SetTimeout(ms, work) platform.after(ms, work) end
function GetPlayerName(player) return (server.players[tonumber(player)] or {}).name end
function GetPlayerIdentifiers(player) return (server.players[tonumber(player)] or {}).identifiers or {} end
function GetNumPlayerIndices() local count = 0 for _ in pairs(server.players) do count = count + 1 end return count end
function RegisterCommand(name, run) server.commands[name] = run end
function TriggerClientEvent(name, player, ...) server.sent[#server.sent + 1] = { name = name, player = player, values = { ... } } end
function SetHttpHandler(handler) server.http = handler end

function AddEventHandler(name, handler)
  server.handlers[name] = server.handlers[name] or {}
  table.insert(server.handlers[name], handler)
end

function RegisterNetEvent(name, handler)
  if handler then AddEventHandler(name, handler) end
end

function server.trigger(name, player, ...)
  source = player
  for _, handler in ipairs(server.handlers[name] or {}) do handler(...) end
  source = nil
end

-- Only events of players have a source, and only until the handler returns.
exports = setmetatable({}, {
  __call = function(self, name, run) rawset(self, name, function(_, ...) return run(...) end) end,
})

function PerformHttpRequest(url, done, method, body, headers)
  assert(type(url) == 'string' and type(done) == 'function' and type(body) == 'string', 'PerformHttpRequest(url, callback, method, body, headers)')
  for name, value in pairs(headers or {}) do assert(type(name) == 'string' and type(value) == 'string', 'headers must be strings') end
  -- The response always arrives after this returns.
  platform.after(5, function()
    local answer = platform.request({ url = url, method = method, body = body, headers = headers })
    if not answer then return end
    if answer.status >= 200 and answer.status < 300 then return done(answer.status, answer.body, answer.headers) end
    done(answer.status, nil, answer.headers, ('HTTP %d: %s'):format(answer.status, answer.body))
  end)
end

function server.start()
  for _, script in ipairs(scripts) do script() end
end

function server.ask(method, path, token, body)
  local answered = {}
  server.http({
    method = method,
    path = path,
    headers = { Authorization = token },
    setDataHandler = function(take) take(body or '') end,
  }, {
    writeHead = function(status) answered.status = status end,
    send = function(text) answered.body = text end,
  })
  return answered
end

test()
