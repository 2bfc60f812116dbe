-- Screenshots of players. The player's game uploads them, to a URL that allows one upload and says whose screenshot it is.
local answerMsMax = 60000
local pending = {}

local function finish(request, failure, file)
  local waiting = pending[request]
  if not waiting then return end
  pending[request] = nil
  waiting.done(failure, file)
end

local function describeFailure(status, body)
  return tostring(Tapedeck.readJson(body).error or ('The service answered %d.'):format(status))
end

-- Players could report any file, so this asks the service whose it is. A token without read access trusts the player.
local function confirm(request, file)
  local path = '/api/v3/file/' .. Tapedeck.escape(file.id)
  Tapedeck.send({ method = 'GET', path = path, token = Tapedeck.settings.mediaToken }, function(status, body)
    if status == 403 then return finish(request, nil, file) end
    local record = Tapedeck.readJson(body).data or {}
    local metadata = type(record.metadata) == 'table' and record.metadata or {}
    local isOurs = type(metadata.tapedeck) == 'table' and metadata.tapedeck.request == request
    if status ~= 200 or not isOurs then return finish(request, 'The player reported another file.') end
    finish(request, nil, { id = record.id, url = record.url })
  end)
end

-- `done(failure, { id, url })`.
function Tapedeck.screenshot(player, options, done)
  options = type(options) == 'table' and options or {}
  done = done or function() end
  if not GetPlayerName(player) then return done('There is no such player.') end
  local request = Tapedeck.makeKey()
  local metadata = {}
  for key, value in pairs(type(options.metadata) == 'table' and options.metadata or {}) do metadata[key] = value end
  metadata.player = metadata.player or Tapedeck.describePlayer(player)
  metadata.session = Tapedeck.sessionIdentity()
  metadata.tapedeck = { request = request }
  local isWritten, text = pcall(json.encode, Tapedeck.simplify(metadata))
  if not isWritten then return done('The metadata cannot be written as JSON.') end
  local path = '/api/v3/file/presigned-url?type=image&metadata=' .. Tapedeck.escape(text)
  if options.path then path = path .. '&path=' .. Tapedeck.escape(options.path) end
  pending[request] = { player = tonumber(player), done = done }
  Tapedeck.send({ method = 'GET', path = path, token = Tapedeck.settings.mediaToken }, function(status, body)
    local link = (Tapedeck.readJson(body).data or {}).presignedUrl
    if status ~= 200 or not link then return finish(request, describeFailure(status, body)) end
    TriggerClientEvent('tapedeck:takeScreenshot', player, request, link)
    Tapedeck.after(answerMsMax, function() finish(request, 'The player sent no picture within 60 seconds.') end)
  end)
end

RegisterNetEvent('tapedeck:screenshotTaken', function(request, answer)
  local waiting = pending[request]
  if not waiting or waiting.player ~= tonumber(source) then return end
  local data = type(answer) == 'string' and Tapedeck.readJson(answer) or answer
  local file = type(data) == 'table' and type(data.data) == 'table' and data.data or {}
  if type(file.id) ~= 'string' then return finish(request, 'The picture could not be uploaded.') end
  confirm(request, { id = file.id, url = file.url })
end)

RegisterNetEvent('tapedeck:screenshotFailed', function(request, reason)
  local waiting = pending[request]
  if not waiting or waiting.player ~= tonumber(source) then return end
  finish(request, 'screenshot-basic is not running: ' .. tostring(reason))
end)
