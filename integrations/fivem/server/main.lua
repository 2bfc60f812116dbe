-- The exports for other resources, the players' command, and the start and stop of this resource.
exports('log', function(level, message, metadata, options)
  options = type(options) == 'table' and options or {}
  local resource = options.resource or GetInvokingResource() or Tapedeck.resource
  return Tapedeck.log(level, message, metadata, { dataset = options.dataset, resource = resource })
end)
exports('flush', function(done) Tapedeck.flush(done) end)
exports('stats', function() return Tapedeck.stats() end)
exports('screenshot', function(player, options, done) Tapedeck.screenshot(player, options, done) end)
exports('action', function(id, title, fields, run) Tapedeck.addAction({ id = id, title = title, fields = fields, run = run }) end)

local reportPauseMs = 30000
local reportedAt = {}

local function answerPlayer(player, text)
  TriggerClientEvent('chat:addMessage', player, { args = { 'Report', text } })
end

-- /report what happened
local function report(player, words)
  local now = Tapedeck.now()
  if player == 0 then return print('[tapedeck] Only players can send reports.') end
  if now - (reportedAt[player] or 0) < reportPauseMs then return answerPlayer(player, 'Please wait half a minute before the next report.') end
  reportedAt[player] = now
  local text = table.concat(words, ' ')
  local described = Tapedeck.describePlayer(player)
  local function finish(failure, file)
    Tapedeck.log('warn', ('%s reported: %s'):format(described.name or 'A player', text), {
      event = 'report', player = described, report = text,
      screenshot = file or nil, screenshotFailure = failure,
    })
    answerPlayer(player, 'Thank you. Your report has been sent.')
  end
  if Tapedeck.settings.mediaToken == '' then return finish(nil, nil) end
  Tapedeck.screenshot(player, { path = 'reports', metadata = { report = text } }, finish)
end

local command = Tapedeck.settings.reportCommand
if command ~= '' then
  RegisterCommand(command, function(player, words) report(tonumber(player) or 0, words or {}) end, false)
  AddEventHandler('playerDropped', function() reportedAt[tonumber(source) or 0] = nil end)
end

if Tapedeck.settings.token == '' then
  print('[tapedeck] set tapedeck:token in server.cfg to a token of kind "logs".')
else
  Tapedeck.openSession()
end

AddEventHandler('onResourceStop', function(resource)
  if resource ~= Tapedeck.resource then return end
  Tapedeck.flush()
  Tapedeck.endSession()
end)
