/** Other games and engines. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';
import { writeLog4j } from './platforms.ts';

const group = 'Games';
const reach = {
  sees: 'Nothing arrives',
  means: 'Try the address with curl from the machine of the game: it must be one that works from there.',
};

const minecraft: Guide = {
  id: 'minecraft',
  title: 'Minecraft servers',
  group,
  about: 'Paper, Spigot, Fabric, Forge and Velocity: their console, by the logger that they have.',
  sends: 'logs',
  words: ['java', 'paper', 'spigot', 'bukkit', 'fabric', 'forge', 'velocity', 'log4j', 'purpur'],
  door: 'lines',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'log4j2.xml',
      language: 'xml',
      isFile: true,
      write: connection => writeLog4j(connection, 'minecraft'),
    },
    {
      name: 'Start the server with',
      language: 'sh',
      write: () => 'java -Dlog4j.configurationFile=log4j2.xml -jar server.jar nogui',
    },
  ],
  test: { name: 'In the console of the server', language: 'text', write: () => 'say Hello, tape' },
  notes: [
    {
      sees: 'The file latest.log is empty',
      means:
        'This configuration replaces that of the server: add its RollingRandomAccessFile if you want both.',
    },
  ],
};

const hytale: Guide = {
  id: 'hytale',
  title: 'Hytale servers',
  group,
  about: 'The logging plugin with its provider for Loki: players, chat, blocks and more.',
  sends: 'logs',
  words: ['hytale', 'java', 'plugin', 'loki', 'sdk'],
  door: 'loki',
  token: { ...writesLogs, narrowedBy: ['dataset'] },
  install: null,
  snippets: [
    {
      name: 'config.json',
      language: 'json',
      isFile: true,
      write: ({ address, token, dataset }) => `${JSON.stringify(
        {
          LogProvider: {
            Provider: 'loki',
            Endpoint: address,
            Username: 'tapedeck',
            Password: token,
            EnableBatching: true,
            BufferSize: 10,
            FlushIntervalMs: 5000,
          },
          PlayerEvents: { Dataset: dataset, Enabled: true },
        },
        null,
        2,
      )}
`,
    },
  ],
  test: {
    name: 'In the game',
    language: 'text',
    write: () => 'Join the server: its first event is sent within five seconds.',
  },
  notes: [
    {
      sees: 'API error: 403',
      means: 'Another kind of event names another dataset: give them all the one that the token is kept to.',
    },
  ],
};

const roblox: Guide = {
  id: 'roblox',
  title: 'Roblox',
  group,
  about: 'Log entries from server scripts, by HttpService.',
  sends: 'logs',
  words: ['luau', 'lua', 'httpservice', 'studio'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'A script in ServerScriptService',
      language: 'lua',
      write: ({ address, token, dataset }) => `-- Game Settings, Security: allow HTTP requests
local HttpService = game:GetService("HttpService")
local waiting = {}

local function log(level, message, metadata)
	table.insert(waiting, { level = level, message = message, metadata = metadata, resource = game.Name })
end

local function send()
	if #waiting == 0 then return end
	local batch = waiting
	waiting = {}
	local answer = HttpService:RequestAsync({
		Url = "${address}/api/v3/logs?dataset=${dataset}",
		Method = "POST",
		Headers = { ["Authorization"] = "Bearer ${token}", ["Content-Type"] = "application/json" },
		Body = HttpService:JSONEncode(batch),
	})
	if not answer.Success then warn("not logged:", answer.Body) end
end

game:BindToClose(send)
task.spawn(function()
	while task.wait(5) do pcall(send) end
end)
log("info", "Hello, tape", { place = game.PlaceId })`,
    },
  ],
  test: { name: 'In the script', language: 'lua', write: () => `log("warn", "Hello, tape")` },
  notes: [
    { sees: 'Http requests are not enabled', means: 'Game Settings, Security, Allow HTTP Requests.' },
    reach,
  ],
};

const rust: Guide = {
  id: 'rust-umod',
  title: 'Rust (Oxide, uMod, Carbon)',
  group,
  about:
    'A plugin that writes chat, joins and kills; plugins with a Discord webhook take the address of that guide.',
  sends: 'logs',
  words: ['oxide', 'umod', 'carbon', 'csharp', 'c#', 'facepunch', 'plugin'],
  door: 'entries',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'TapeLogs.cs',
      language: 'csharp',
      isFile: true,
      write: ({ address, token, dataset }) => `using System.Collections.Generic;
using Newtonsoft.Json;
using Oxide.Core.Libraries;

namespace Oxide.Plugins
{
    [Info("TapeLogs", "you", "1.0.0")]
    public class TapeLogs : RustPlugin
    {
        private readonly Dictionary<string, string> headers = new Dictionary<string, string>
        {
            ["Authorization"] = "Bearer ${token}",
            ["Content-Type"] = "application/json",
        };

        private void Log(string level, string message, object metadata)
        {
            var body = JsonConvert.SerializeObject(new[] { new { level, message, resource = Name, metadata } });
            webrequest.Enqueue("${address}/api/v3/logs?dataset=${dataset}", body, (code, answer) =>
            {
                if (code != 200) PrintWarning($"not logged: {code} {answer}");
            }, this, RequestMethod.POST, headers);
        }

        private void OnPlayerConnected(BasePlayer player) =>
            Log("info", $"{player.displayName} joins", new { player = new { id = player.UserIDString, name = player.displayName } });

        private void OnServerInitialized() => Log("info", "Hello, tape", null);
    }
}
`,
    },
  ],
  test: { name: 'In the console of the server', language: 'text', write: () => 'oxide.reload TapeLogs' },
  notes: [reach],
};

export const gameGuides: readonly Guide[] = [minecraft, hytale, roblox, rust];
