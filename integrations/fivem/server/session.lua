-- The SDK session of this server: opens it at start, keeps it alive, and reopens it if the service has ended it.
local heartbeatMs = 5 * 60 * 1000 -- a session lives for 30 minutes
local retryMs = 30 * 1000
local token = nil
local isStopped = false

local identity = { sdkType = 'server_a', endpoint = Tapedeck.settings.endpoint, resourceName = Tapedeck.resource }

function Tapedeck.sessionIdentity()
  return identity
end

-- nil while there is no session.
function Tapedeck.sessionToken()
  return token
end

local function writeQuery()
  return ('?sdkType=%s&endpoint=%s&resourceName=%s'):format(
    identity.sdkType, Tapedeck.escape(identity.endpoint), Tapedeck.escape(identity.resourceName))
end

local open

local function sendHeartbeat()
  if isStopped then return end
  if not token then return open() end
  Tapedeck.send({ method = 'POST', path = '/api/sdk/heartbeat', token = token }, function(status)
    if status == 401 or status == 403 or status == 404 then
      token = nil
      return open()
    end
    Tapedeck.after(status == 200 and heartbeatMs or retryMs, sendHeartbeat)
  end)
end

function open()
  Tapedeck.send({ method = 'POST', path = '/api/sdk/report' .. writeQuery(), token = Tapedeck.settings.token }, function(status, body)
    if isStopped then return end
    if status == 401 or status == 403 then
      print(('[tapedeck] no session: %s'):format(tostring(Tapedeck.readJson(body).error or status)))
      return
    end
    token = status == 200 and Tapedeck.readJson(body).token or nil
    Tapedeck.after(token and heartbeatMs or retryMs, sendHeartbeat)
  end)
end

Tapedeck.openSession = function() open() end

function Tapedeck.endSession()
  isStopped = true
  if not token then return end
  Tapedeck.send({ method = 'POST', path = '/api/sdk/invalidate', token = token }, function() end)
  token = nil
end
