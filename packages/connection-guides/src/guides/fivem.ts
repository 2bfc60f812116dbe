/** FiveM, and scripts that were written for a hosted service. */
import { inQuery, partsOf } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { postsMessages, uploads, writesDefaultLogs, writesLogs } from '../tokens.ts';

const group = 'Games';
const words = ['fivem', 'redm', 'gta', 'lua', 'cfx', 'esx', 'qbcore', 'qbox'];

const logs: Guide = {
  id: 'fivem-logs',
  title: 'FiveM: log entries',
  group,
  about: 'From any server script, in batches, without another resource.',
  sends: 'logs',
  words: [...words, 'resource', 'server'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'server.lua',
      language: 'lua',
      write: ({ address, token, dataset }) => `local waiting = {}

-- level: debug, info, warn or error; metadata: a table
function Log(level, message, metadata)
  waiting[#waiting + 1] = {
    level = level, message = message, metadata = metadata, resource = GetCurrentResourceName(),
  }
end

CreateThread(function()
  while true do
    Wait(1000)
    if #waiting > 0 then
      local batch = waiting
      waiting = {}
      PerformHttpRequest('${address}/api/v3/logs?dataset=${dataset}', function(status, body)
        if status ~= 200 then print(('not logged: %s %s'):format(status, body)) end
      end, 'POST', json.encode(batch), {
        ['Authorization'] = 'Bearer ${token}', ['Content-Type'] = 'application/json',
      })
    end
  end
end)

AddEventHandler('playerJoining', function()
  Log('info', GetPlayerName(source) .. ' joins', { player = { id = source, name = GetPlayerName(source) } })
end)`,
    },
  ],
  test: { name: 'In a server script', language: 'lua', write: () => `Log('warn', 'Hello, tape')` },
  notes: [
    {
      sees: 'not logged: 0',
      means: 'The game server does not reach this address: try it with curl from that machine.',
    },
  ],
};

const oxLib: Guide = {
  id: 'ox-lib',
  title: 'ox_lib logger',
  group,
  about: "ox_lib's logger in its mode for Loki: three lines in server.cfg.",
  sends: 'logs',
  words: [...words, 'ox', 'ox_inventory', 'loki', 'overextended', 'logger'],
  door: 'loki',
  token: writesDefaultLogs,
  install: null,
  snippets: [
    {
      name: 'server.cfg',
      language: 'text',
      write: ({ address, token }) => {
        // Older versions put a protocol of their own before it.
        const { isSecure } = partsOf(address);
        return `set ox:logger "loki"
set loki:endpoint "${isSecure ? address.replace('https://', '') : address}"
set loki:user "tapedeck"
set loki:key "${token}"
set loki:password "${token}"`;
      },
    },
  ],
  test: {
    name: 'In a server script with ox_lib',
    language: 'lua',
    write: () => `lib.logger(-1, 'test', 'Hello, tape')`,
  },
  notes: [
    {
      sees: 'unable to submit logs',
      means: 'The line in the console ends with the answer of the service, which says what to change.',
    },
    { sees: 'Everything is info', means: 'ox_lib sends no levels; the event is metadata.' },
  ],
};

const screenshots: Guide = {
  id: 'fivem-screenshots',
  title: 'FiveM: screenshots',
  group,
  about: 'Screenshots of players by a URL that takes one picture: no token reaches the players.',
  sends: 'media',
  words: [
    ...words,
    'screenshot-basic',
    'screenshot',
    'requestScreenshotUpload',
    'presigned',
    'anticheat',
    'phone',
  ],
  door: 'presigned',
  token: uploads,
  install: null,
  snippets: [
    {
      name: 'server.lua',
      language: 'lua',
      write: ({
        address,
        token,
        folder,
      }) => `-- /shot 3: a picture of what player 3 sees; screenshot-basic must run
RegisterCommand('shot', function(_, arguments)
  PerformHttpRequest('${address}/api/v3/file/presigned-url${folder === '' ? '' : `?path=${inQuery(folder)}`}', function(status, body)
    if status ~= 200 then return print(('no screenshot: %s %s'):format(status, body)) end
    TriggerClientEvent('takeScreenshot', tonumber(arguments[1]), json.decode(body).data.presignedUrl)
  end, 'GET', '', { ['Authorization'] = 'Bearer ${token}' })
end, true)

RegisterNetEvent('screenshotTaken', function(url)
  print(GetPlayerName(source), url)
end)`,
    },
    {
      name: 'client.lua',
      language: 'lua',
      write: () => `RegisterNetEvent('takeScreenshot', function(url)
  exports['screenshot-basic']:requestScreenshotUpload(url, 'file', function(body)
    TriggerServerEvent('screenshotTaken', json.decode(body).data.url)
  end)
end)`,
    },
  ],
  test: { name: 'In the console of the server', language: 'text', write: () => 'shot 1' },
  notes: [
    {
      sees: 'The callback gets nil',
      means: 'The player does not reach this address: it must be one that works from their home.',
    },
  ],
};

const screenshotWebhook: Guide = {
  id: 'fivem-screenshot-webhook',
  title: 'FiveM: scripts with a screenshot webhook',
  group,
  about: 'Phones, police and admin scripts that upload to a Discord webhook: only the address changes.',
  sends: 'both',
  words: [
    ...words,
    'screenshot-basic',
    'requestScreenshotUpload',
    'discord',
    'webhook',
    'phone',
    'lb-phone',
    'qs',
    'mdt',
    'dpscam',
  ],
  door: 'chat',
  token: postsMessages,
  install: null,
  snippets: [
    {
      name: 'Address in the place of the Discord webhook',
      language: 'text',
      write: ({ address, token, dataset }) => `${address}/api/webhooks/1/${token}?dataset=${dataset}`,
    },
    {
      name: 'client.lua, as such scripts have it',
      language: 'lua',
      write: ({ address, token, dataset }) => `exports['screenshot-basic']:requestScreenshotUpload(
  '${address}/api/webhooks/1/${token}?dataset=${dataset}', 'files[]',
  function(body)
    local picture = json.decode(body).attachments[1].proxy_url
    print(picture)
  end)`,
    },
  ],
  test: {
    name: 'A file as screenshot-basic sends it',
    language: 'sh',
    write: ({ address, token, dataset }) =>
      `curl -fsS '${address}/api/webhooks/1/${token}?dataset=${dataset}' -F 'files[]=@photo.png'`,
  },
  notes: [
    {
      sees: 'Players can read the address in the script',
      means: 'With this token they can post, and nothing else; for more safety use “FiveM: screenshots”.',
    },
  ],
};

const hostedMedia: Guide = {
  id: 'hosted-media',
  title: 'Scripts for Fivemanage and Fivemerr: media',
  group,
  about: 'fmsdk and scripts that upload to a hosted service: their host is replaced by this one.',
  sends: 'media',
  words: [...words, 'fmsdk', 'fivemanage', 'fivemerr', 'sdk', 'migrate', 'hosted'],
  door: 'fivemerr',
  token: { ...uploads, narrowedBy: [] },
  install: null,
  snippets: [
    {
      name: 'replace-host.sh, in the folder resources',
      language: 'sh',
      isFile: true,
      write: ({ address }) => writeReplacement(address),
    },
    {
      name: 'server.cfg',
      language: 'text',
      write: ({ token }) => `set FIVEMANAGE_MEDIA_API_KEY "${token}"`,
    },
  ],
  test: {
    name: 'As such scripts upload',
    language: 'sh',
    write: ({ address, token }) =>
      `curl -fsS '${address}/v1/media/images' -H 'Authorization: ${token}' -F 'file=@photo.png'`,
  },
  notes: [
    {
      sees: 'The key is written into the script',
      means: 'Put this token there; it goes where the other key was.',
    },
  ],
};

const hostedLogs: Guide = {
  ...hostedMedia,
  id: 'hosted-logs',
  title: 'Scripts for Fivemanage and Fivemerr: logs',
  about: 'fmsdk and scripts that write logs to a hosted service: their host is replaced by this one.',
  sends: 'logs',
  token: { ...writesLogs, narrowedBy: [] },
  snippets: [
    ...hostedMedia.snippets.slice(0, 1),
    {
      name: 'server.cfg',
      language: 'text',
      write: ({ token }) => `set FIVEMANAGE_LOGS_API_KEY "${token}"
set fivemerrLogs "${token}"`,
    },
  ],
  test: {
    name: 'As such scripts log',
    language: 'sh',
    write: ({ address, token }) => `curl -fsS '${address}/v1/logs' -H 'Authorization: ${token}' \\
  -H 'Content-Type: application/json' -d '{"level":"info","message":"Hello, tape","resource":"my-script"}'`,
  },
};

/** Scripts hold the address in their Lua files, and some in what was built of them. */
function writeReplacement(address: string): string {
  return `#!/bin/sh
# Changes the files below this folder; keeps what was there as *.before
grep -rlE 'https://api\\.(fivemanage|fivemerr)\\.com' --include='*.lua' --include='*.js' --include='*.json' . |
  xargs sed -i.before -E 's#https://api\\.(fivemanage|fivemerr)\\.com#${address}#g'
`;
}

export const fivemGuides: readonly Guide[] = [
  logs,
  oxLib,
  screenshots,
  screenshotWebhook,
  hostedMedia,
  hostedLogs,
];
