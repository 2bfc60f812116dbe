/** Tests the guides for games: compiles and runs Java and C#, and runs Lua on a simulated game. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { findGuide } from '../support/connectGuides.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runLua } from './luaPrograms.ts';

const run = promisify(execFile);
const newtonsoft = '/usr/lib/cli/Newtonsoft.Json-5.0'; // Debian's path
const token = 'logs-token-of-the-tests-0123456789';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
const directory = await makeDirectory();
after(async () => {
  await service[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function readBodies(dataset: string) {
  const place = `/api/v3/logs?dataset=${dataset}&order=asc`;
  const response = await service.fetch(place, { headers: { authorization: token } });
  type Entry = { body: string; level: string; metadata: Record<string, string> };
  const { data } = (await response.json()) as { data: Entry[] }; // CONTRACT.md, 4.2
  return data.map(({ body, level, metadata }) => [body, level, metadata]);
}

function writeSnippet(id: string, dataset: string): string {
  const text = findGuide(id)?.snippets[0]?.write({ address: service.url, token, dataset, folder: '' });
  assert.ok(text);
  return text;
}

test('Minecraft: the class compiles and sends', async () => {
  await writeFile(path.join(directory.path, 'TapeLog.java'), writeSnippet('minecraft-plugin', 'java'));
  const main = `public class Main {
    public static void main(String[] words) throws Exception {
      TapeLog.write("warn", "Hello, \\"tape\\"\\n\u00e4", java.util.Map.of("player.id", 43));
      TapeLog.write("info", "second", java.util.Map.of());
      TapeLog.flush();
    }
  }`;
  await writeFile(path.join(directory.path, 'Main.java'), main);
  await run('javac', ['-encoding', 'UTF-8', 'TapeLog.java', 'Main.java'], { cwd: directory.path });
  const { stderr } = await run('java', ['-cp', '.', 'Main'], { cwd: directory.path });
  assert.equal(stderr, '');
  assert.deepEqual(await readBodies('java'), [
    ['Hello, "tape"\n\u00e4', 'warn', { 'player.id': '43' }],
    ['second', 'info', {}],
  ]);
});

test('Rust: the plugin compiles against the parts of Oxide that it uses, and its hooks send', async () => {
  await writeFile(path.join(directory.path, 'TapeLogs.cs'), writeSnippet('rust-umod', 'oxide'));
  const json = path.join(newtonsoft, 'Newtonsoft.Json.dll');
  const oxide = path.join(import.meta.dirname, 'csharp/Oxide.cs');
  const flags = ['-warnaserror', `-reference:${json}`, '-out:Server.exe'];
  await run('mcs', [...flags, 'TapeLogs.cs', oxide], { cwd: directory.path });
  const env = { ...process.env, MONO_PATH: newtonsoft };
  const { stdout, stderr } = await run('mono', ['Server.exe'], { cwd: directory.path, env });
  assert.deepEqual([stdout, stderr], ['', '']);
  assert.deepEqual(await readBodies('oxide'), [
    ['Hello, tape', 'info', {}],
    ['Zoë "X" joined', 'info', { 'player.id': '7656', 'player.name': 'Zoë "X"' }],
  ]);
});

test("Garry's Mod: the script sends with HTTP()", async () => {
  // Simulates the game on the platform that the other scripts run on.
  const game = `
local hooks = {}
util = { TableToJSON = json.encode }
engine = { ActiveGamemode = function() return 'sandbox' end }
hook = { Add = function(event, _, run) hooks[event] = run end }
function HTTP(request)
  assert(type(request.url) == 'string' and type(request.body) == 'string' and request.method == 'POST')
  request.headers['Content-Type'] = request.type
  PerformHttpRequest(request.url, function(status, body) request.success(status, body or '') end, request.method, request.body, request.headers)
end
`;
  const join = `
hooks.PlayerInitialSpawn({ Nick = function() return 'Ann' end, SteamID64 = function() return '7656' end })
TapeLog('warn', 'Hello, tape')
server.run(2000)
for _, line in ipairs(server.printed) do server.report(line) end`;
  const script = game + writeSnippet('garrys-mod', 'gmod') + join;
  const subject = path.join(import.meta.dirname, '../../../integrations/fivem');
  const { values } = await runLua({ platform: 'fivem', subject, script });
  assert.deepEqual(values, []);
  assert.deepEqual(await readBodies('gmod'), [
    ['Ann joined', 'info', { 'player.id': '7656', 'player.name': 'Ann' }],
    ['Hello, tape', 'warn', {}],
  ]);
});
