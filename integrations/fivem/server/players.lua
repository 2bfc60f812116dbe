-- Describes players in log entries: id, name and identifiers, never the IP address.
local function isAddress(text)
  return type(text) == 'string' and text:sub(1, 3):lower() == 'ip:'
end

function Tapedeck.describePlayer(player)
  local identifiers = {}
  for _, identifier in ipairs(GetPlayerIdentifiers(player) or {}) do
    local kind, value = identifier:match('^(%w+):(.+)$')
    if kind and not isAddress(identifier) then identifiers[kind] = value end
  end
  return { id = tonumber(player) or player, name = GetPlayerName(player), identifiers = next(identifiers) and identifiers or nil }
end

-- Removes IP addresses from the events of other resources, such as txAdmin.
function Tapedeck.withoutAddresses(value)
  if type(value) ~= 'table' then return value end
  local copy = {}
  local isList = #value > 0
  for key, inner in pairs(value) do
    local name = type(key) == 'string' and key:lower() or ''
    local isPrivate = isAddress(inner) or name == 'ip' or name == 'address' or name == 'endpoint'
    if not isPrivate then
      if isList and math.type(key) == 'integer' then copy[#copy + 1] = Tapedeck.withoutAddresses(inner)
      else copy[key] = Tapedeck.withoutAddresses(inner) end
    end
  end
  return copy
end
