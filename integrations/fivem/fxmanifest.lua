fx_version 'cerulean'
games { 'gta5', 'rdr3' }
lua54 'yes'

name 'tapedeck'
description 'Logs, server events and screenshots for Tapedeck.'
version '0.1.0'

server_scripts {
  'server/settings.lua',
  'server/requests.lua',
  'server/entries.lua',
  'server/queue.lua',
  'server/players.lua',
  'server/session.lua',
  'server/screenshots.lua',
  'server/events.lua',
  'server/actions.lua',
  'server/main.lua',
}
client_script 'client.lua'
