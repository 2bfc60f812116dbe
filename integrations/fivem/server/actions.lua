-- Serves this server's health and actions to the dashboard. Requests need the session token, which only the service knows.
local bodyBytesMax = 64 * 1024
local actions = {}
local order = {}

-- `run(fields, done(failure, text))`. `fields` lists the names of the text fields that the dashboard shows.
function Tapedeck.addAction(action)
  if not actions[action.id] then order[#order + 1] = action.id end
  actions[action.id] = action
end

Tapedeck.addAction({
  id = 'announce',
  title = 'Message all players',
  fields = { 'message' },
  run = function(fields, done)
    TriggerClientEvent('chat:addMessage', -1, { args = { 'Server', tostring(fields.message or '') } })
    done(nil, 'Sent to the chat.')
  end,
})

Tapedeck.addAction({
  id = 'screenshot',
  title = 'Take a screenshot',
  fields = { 'player' },
  run = function(fields, done)
    Tapedeck.screenshot(tonumber(fields.player) or -1, {}, function(failure, file) done(failure, file and file.url) end)
  end,
})

local function answer(response, status, value)
  response.writeHead(status, { ['Content-Type'] = 'application/json' })
  response.send(json.encode(value))
end

local function describeHealth()
  local stats = Tapedeck.stats()
  return {
    status = 'ok',
    name = GetConvar('sv_projectName', GetConvar('sv_hostname', '')),
    players = GetNumPlayerIndices(),
    playersMax = tonumber(GetConvar('sv_maxclients', '')),
    uptimeSeconds = math.floor(GetGameTimer() / 1000),
    queued = stats.queued,
    dropped = stats.dropped,
  }
end

local function listActions()
  local listed = {}
  for _, id in ipairs(order) do
    listed[#listed + 1] = { id = id, title = actions[id].title or id, fields = actions[id].fields }
  end
  return { actions = listed }
end

-- Compares in constant time, so that response times reveal nothing about the token.
local function isSame(one, other)
  if type(one) ~= 'string' or type(other) ~= 'string' or #one ~= #other then return false end
  local difference = 0
  for index = 1, #one do difference = difference | (one:byte(index) ~ other:byte(index)) end
  return difference == 0
end

local function isAllowed(request)
  for name, value in pairs(request.headers or {}) do
    if tostring(name):lower() == 'authorization' then
      return isSame((tostring(value):gsub('^[Bb]earer ', '')), Tapedeck.sessionToken())
    end
  end
  return false
end

local function run(action, body, response)
  local fields = body == '' and {} or Tapedeck.readJson(body)
  local isRun, reason = pcall(action.run, fields, function(failure, text)
    if failure then return answer(response, 409, { error = tostring(failure) }) end
    answer(response, 200, { status = 'ok', message = text and tostring(text) or nil })
  end)
  if not isRun then answer(response, 500, { error = tostring(reason) }) end
end

if SetHttpHandler then
  SetHttpHandler(function(request, response)
    local path = tostring(request.path or ''):gsub('%?.*$', '')
    if not isAllowed(request) then return answer(response, 401, { error = 'Only the service of this server may send requests.' }) end
    if path == '/health' and request.method == 'GET' then return answer(response, 200, describeHealth()) end
    if path == '/actions' and request.method == 'GET' then return answer(response, 200, listActions()) end
    local action = actions[path:match('^/actions/([%w_%-]+)$') or '']
    if not action or request.method ~= 'POST' then return answer(response, 404, { error = 'There is no such action.' }) end
    request.setDataHandler(function(body)
      if #(body or '') > bodyBytesMax then return answer(response, 413, { error = 'The body is too large.' }) end
      run(action, body or '', response)
    end)
  end)
end
