-- Sends requests to the service. A missing response counts as status 0.
local silenceMsMax = 60000

-- `done(status, body, headers)` is called once.
function Tapedeck.send(request, done)
  local isDone = false
  local function finish(status, body, headers)
    if isDone then return end
    isDone = true
    done(tonumber(status) or 0, body or '', headers or {})
  end
  local headers = { ['Authorization'] = request.token }
  if request.body then headers['Content-Type'] = 'application/json' end
  if request.key then headers['Idempotency-Key'] = request.key end
  local sent, reason = pcall(PerformHttpRequest, Tapedeck.settings.url .. request.path, function(status, body, answered, failure)
    -- The platform passes the body of an error response as the fourth value.
    if (body == nil or body == '') and type(failure) == 'string' then body = failure:match('{.*}') or failure end
    finish(status, body, answered)
  end, request.method, request.body or '', headers)
  if not sent then return finish(0, tostring(reason)) end
  Tapedeck.after(silenceMsMax, function() finish(0, 'The service did not answer.') end)
end

function Tapedeck.readJson(text)
  local isRead, value = pcall(json.decode, text)
  return isRead and type(value) == 'table' and value or {}
end

-- Milliseconds; nil if the service does not say.
function Tapedeck.readRetryAfter(headers)
  for name, value in pairs(headers) do
    if tostring(name):lower() == 'retry-after' then
      local seconds = tonumber(value)
      return seconds and math.floor(seconds * 1000)
    end
  end
end

function Tapedeck.makeKey()
  local digits = {}
  for index = 1, 32 do digits[index] = ('%x'):format(math.random(0, 15)) end
  return table.concat(digits)
end
