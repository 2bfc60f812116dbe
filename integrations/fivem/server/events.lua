-- Logs server events. The convar `tapedeck:events` turns each on.
local events = Tapedeck.settings.events

local function logEvent(event, message, metadata, level)
  metadata = metadata or {}
  metadata.event = event
  Tapedeck.log(level or 'info', message, metadata)
end

local function nameOf(player)
  return GetPlayerName(player) or ('player ' .. tostring(player))
end

if events.join then
  AddEventHandler('playerJoining', function()
    local player = source
    logEvent('join', nameOf(player) .. ' joined', { player = Tapedeck.describePlayer(player) })
  end)
end

if events.leave then
  AddEventHandler('playerDropped', function(reason)
    local player = source
    logEvent('leave', ('%s left: %s'):format(nameOf(player), tostring(reason)), {
      player = Tapedeck.describePlayer(player), reason = reason and tostring(reason),
    })
  end)
end

if events.death then
  -- The resource `baseevents` reports these.
  RegisterNetEvent('baseevents:onPlayerDied', function(killerType, place)
    local player = source
    logEvent('death', nameOf(player) .. ' died', {
      player = Tapedeck.describePlayer(player), killerType = killerType, place = type(place) == 'table' and place or nil,
    })
  end)
  RegisterNetEvent('baseevents:onPlayerKilled', function(killer, data)
    local player = source
    local isPlayer = tonumber(killer) and tonumber(killer) > 0 and GetPlayerName(killer)
    local by = isPlayer and (' by ' .. nameOf(killer)) or ''
    logEvent('death', nameOf(player) .. ' was killed' .. by, {
      player = Tapedeck.describePlayer(player),
      killer = isPlayer and Tapedeck.describePlayer(killer) or nil,
      weapon = type(data) == 'table' and data.weaponhash or nil,
    })
  end)
end

if events.chat then
  AddEventHandler('chatMessage', function(player, name, message)
    logEvent('chat', ('%s: %s'):format(tostring(name), tostring(message)), {
      player = tonumber(player) and tonumber(player) > 0 and Tapedeck.describePlayer(player) or { name = name },
    })
  end)
end

if events.resource then
  AddEventHandler('onResourceStart', function(resource)
    logEvent('resource', resource .. ' started', { action = 'start', name = resource })
  end)
  AddEventHandler('onResourceStop', function(resource)
    logEvent('resource', resource .. ' stopped', { action = 'stop', name = resource })
  end)
end

if events.txadmin then
  local names = {
    'announcement', 'configChanged', 'healedPlayer', 'playerBanned', 'playerDirectMessage', 'playerHealed', 'playerKicked',
    'playerWarned', 'actionRevoked', 'adminAuth', 'scheduledRestart', 'scheduledRestartSkipped', 'serverShuttingDown',
    'skippedNextScheduledRestart', 'whitelistPlayer', 'whitelistPreApproval', 'whitelistRequest',
  }
  for _, name in ipairs(names) do
    AddEventHandler('txAdmin:events:' .. name, function(data)
      logEvent('txadmin', 'txAdmin: ' .. name, { action = name, data = Tapedeck.withoutAddresses(data) })
    end)
  end
end
