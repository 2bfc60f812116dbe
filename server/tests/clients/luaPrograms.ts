/** Runs Lua or Luau scripts on a simulated game platform. Their requests reach the real service, or fail as the test says. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { installNodeClients } from '../../../scripts/clients/installedClients.ts';

export type LuaRequest = {
  url: string;
  method: string;
  body: string;
  headers: Record<string, string>;
  /** The game's clock. It stands still while nothing waits. */
  atMs: number;
};

/** `lose`: the service gets the request, but its response is lost. `silence`: no response ever comes. */
export type LuaBehaviour =
  | 'pass'
  | 'lose'
  | 'silence'
  | { status: number; headers?: Record<string, string>; body?: string };

type Outcome = { values: unknown[]; requests: LuaRequest[] };
/** `luau` is Roblox's language, compiled to WebAssembly. */
export type Language = 'lua5.4' | 'luau';
type Program = { platform: 'fivem' | 'roblox'; subject: string; script: string; language?: Language };
type Decide = (request: LuaRequest, number: number) => LuaBehaviour;

export async function runLua(
  { platform, subject, script, language = 'lua5.4' }: Program,
  decide: Decide = () => 'pass',
): Promise<Outcome> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tapedeck-lua-'));
  const file = path.join(folder, 'test.lua');
  await writeFile(file, script);
  const words = [path.join(import.meta.dirname, 'lua', `${platform}.lua`), subject, file];
  const [command = '', ...flags] = language === 'luau' ? await commandOfLuau() : [language];
  const child = spawn(command, [...flags, ...words], { stdio: ['pipe', 'pipe', 'pipe'] });
  const complained = text(child.stderr);
  const ended = once(child, 'close');
  const outcome: Outcome = { values: [], requests: [] };
  for await (const line of createInterface({ input: child.stdout })) {
    const [word = '', ...rest] = line.split(' ');
    const value: unknown = JSON.parse(rest.join(' '));
    if (word === 'reported') outcome.values.push(value);
    if (word !== 'request') continue;
    const request = value as LuaRequest; // platform.lua writes this shape
    outcome.requests.push(request);
    child.stdin.write(`${JSON.stringify(await answer(request, decide(request, outcome.requests.length)))}\n`);
  }
  const [exitCode] = await ended;
  await rm(folder, { recursive: true });
  assert.deepEqual([exitCode, await complained], [0, '']);
  return outcome;
}

async function commandOfLuau(): Promise<string[]> {
  const runner = path.join(import.meta.dirname, 'lua/luau.mjs');
  const place = path.join(await installNodeClients(), 'node_modules/luau-web/src/index.js');
  return [process.execPath, runner, place];
}

async function answer(request: LuaRequest, behaviour: LuaBehaviour): Promise<object> {
  if (behaviour === 'silence') return { isSilent: true };
  if (typeof behaviour === 'object') return { headers: {}, body: '{}', ...behaviour };
  const { url, method, body, headers } = request;
  const init = { method, headers, ...(method !== 'GET' && { body }) };
  const response = await fetch(url, init);
  const answered = await response.text();
  if (behaviour === 'lose') return { status: 0, headers: {}, body: '' };
  return { status: response.status, headers: Object.fromEntries(response.headers), body: answered };
}
