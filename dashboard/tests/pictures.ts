/** `npm run pictures` takes README.md's pictures: a service with a week of made-up logs, in a browser. For builds. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { updateProject } from '@tapedeck/contract/projects';
import { createRule } from '@tapedeck/contract/rules';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { addPerson, addToken, type Person } from '../../server/tests/support/people.ts';
import { startTestService } from '../../server/tests/support/service.ts';
import { composeForm, makeSound, sendForm } from '../../server/tests/support/uploading.ts';
import { startBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn } from './steps.ts';

const folder = path.join(import.meta.dirname, '../../pictures');
const size = { width: 1360, height: 860 };
const [minuteMs, hourMs] = [60_000, 3_600_000];
const batchEntriesMax = 1_000;
const animals = ['Otter', 'Badger', 'Heron', 'Lynx', 'Marten', 'Kestrel', 'Hare', 'Stoat'];
const picturedPlayer = 43;
const colours = ['#2a9d8f', '#e76f51', '#f4a261', '#264653', '#e9c46a', '#6d597a', '#355070', '#457b9d'];

type Entry = { level: string; message: string; resource: string; timestamp: number; metadata: object };

const templates: readonly [level: string, resource: string, write: (n: number) => string][] = [
  ['info', 'sessionmanager', n => `Player ${n} joined (ping ${20 + (n % 60)} ms)`],
  ['info', 'qb-shops', n => `Player ${n} paid $${n * 13} to the harbour shop`],
  ['debug', 'onesync', n => `Sync entity ${n * 811} to bucket ${n % 7}`],
  ['info', 'qb-vehicles', n => `Vehicle ${n} left garage ${n % 9}`],
  ['warn', 'oxmysql', n => `Query took ${200 + n} ms`],
];

function describePlayer(id: number) {
  return { id, name: `${animals[id % animals.length]} ${id}` };
}

/** Makes quiet nights, busy evenings, and a crash a few minutes ago. */
function makeEntries(now: number): Entry[] {
  const entries: Entry[] = [];
  const add = (timestamp: number, [level, resource, write]: (typeof templates)[number], n: number) =>
    entries.push({
      level,
      message: write(n),
      resource,
      timestamp,
      metadata: { server: `eu-${1 + (n % 2)}`, player: describePlayer(n) },
    });
  for (let minutesAgo = 169 * 60; minutesAgo > 0; minutesAgo -= 3) {
    const busy = 6 + Math.round(4 * Math.sin(minutesAgo / 230));
    for (let index = 0; index < busy; index += 1)
      add(
        now - minutesAgo * minuteMs + index * 15_000,
        templates[(minutesAgo + index) % 5]!,
        1 + ((minutesAgo * 7 + index) % 240),
      );
    if (minutesAgo % 15 === 0)
      add(now - minutesAgo * minuteMs, ['error', 'qb-core', n => `Player ${n} has no inventory`], 7);
  }
  const crash = now - 4 * minuteMs;
  for (let n = 1; n <= 120; n += 1)
    add(
      crash - (120 - n) * 400,
      ['error', 'qb-core', line => `SCRIPT ERROR: @qb-core/server/player.lua:${line}: attempt to index nil`],
      n,
    );
  add(crash + 300, ['error', 'txadmin', () => 'FATAL: server process exited with code 3221225477'], 1);
  add(crash + 5_000, ['info', 'txadmin', () => 'Restarting server eu-1 in 5 seconds'], 1);
  return entries;
}

async function fill(owner: Person): Promise<void> {
  const { service } = owner;
  const logs = (await addToken(owner, { kind: 'logs' })).token;
  const post = async (address: string, body: string | null) => {
    const headers = { authorization: logs, ...(body !== null && { 'content-type': 'application/json' }) };
    const response = await service.fetch(address, { method: 'POST', headers, body });
    assert.equal(response.status, 200, await response.text());
  };
  const rule = { name: 'Script errors', kind: 'count', query: 'level:error', windowSeconds: 300 } as const;
  const condition = { op: '>=', value: 50 } as const;
  await owner.call(createRule, { params: { project: 'default' }, body: { ...rule, condition } });
  const subjects = [{ kind: 'player', idPaths: ['player.id'], namePaths: ['player.name'] }];
  await owner.call(updateProject, { params: { project: 'default' }, body: { subjects } });
  const entries = makeEntries(service.clock.now());
  for (let start = 0; start < entries.length; start += batchEntriesMax)
    await post('/api/v3/logs?dataset=game', JSON.stringify(entries.slice(start, start + batchEntriesMax)));
  for (const name of ['harbour', 'lobby'])
    await post(`/api/sdk/report?sdkType=server_a&endpoint=203.0.113.5&resourceName=${name}`, null);
  const burst = Array.from({ length: 60 }, (_, n) => ({
    level: 'error',
    message: `Could not load map harbour: bytes missing at ${n}`,
    resource: 'maps',
  }));
  await post('/api/v3/logs?dataset=game', JSON.stringify(burst));
  await addFiles(owner);
  const report = { level: 'warn', resource: 'reports', metadata: { player: describePlayer(picturedPlayer) } };
  const message = `Player ${picturedPlayer} reports: my boat is stuck under the harbour`;
  await post('/api/v3/logs?dataset=game', JSON.stringify([{ ...report, message }]));
}

async function addFiles(owner: Person): Promise<void> {
  const { token } = await addToken(owner, { kind: 'media' });
  const send = async (
    bytes: Uint8Array,
    filename: string,
    { place = 'screenshots', player }: { place?: string; player: number },
  ) => {
    const form = composeForm([
      ['path', place],
      ['metadata', JSON.stringify({ player: describePlayer(player) })],
      ['file', { bytes, filename }],
    ]);
    assert.equal((await sendForm(owner.service, form, { token })).status, 200);
  };
  for (let n = 1; n <= 30; n += 1) {
    const player = n % 10 === 0 ? picturedPlayer : n;
    if (n % 9 === 0) await send(makeSound({ seconds: n }), `voice-${n}.wav`, { place: 'voice', player });
    else await send(await drawScene(n), `shot-${String(n).padStart(3, '0')}.png`, { player });
  }
}

/** Draws a sky, a sun and hills, different for each number. */
function drawScene(n: number): Promise<Buffer> {
  const pick = (offset: number) => colours[(n * 3 + offset) % colours.length]!;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400">
<rect width="640" height="400" fill="${pick(0)}"/><circle cx="${80 + ((n * 97) % 480)}" cy="${90 + ((n * 31) % 110)}" r="64" fill="${pick(1)}"/>
<path d="M0 ${260 + ((n * 17) % 60)} Q160 ${160 + ((n * 23) % 80)} 320 270 T640 250 V400 H0Z" fill="${pick(2)}"/>
<path d="M0 340 Q200 ${270 + ((n * 11) % 50)} 400 340 T640 330 V400 H0Z" fill="${pick(3)}"/></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

await buildDashboard();
await using service = await startTestService();
await using browser = await startBrowser(service.url);
const owner = await addPerson(service, { isOwner: true, name: 'Ada', email: 'ada@example.org' });
await fill(owner);
const { page } = await browser.openPage();
await page.setViewportSize(size);
page.setDefaultTimeout(2 * minuteMs); // a busy machine; Home refreshes every half minute
await comeIn(page, owner, '/projects/default');
await page.getByText('of 1 active rule').waitFor();
await page.getByText('Script errors').first().waitFor();
await take(page, 'home');
const from = new Date(service.clock.now() - hourMs).toISOString();
await page.goto(`/projects/default/logs?dataset=game&from=${from}&query=-level:debug+-resource:maps`);
await page.getByText('FATAL: server process').first().click();
await take(page, 'logs');
await page.goto('/projects/default/files');
await page.getByText('shot-030.png').waitFor();
await take(page, 'files');
await page.goto(`/projects/default/players?kind=player&id=${picturedPlayer}`);
await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').first().waitFor();
await take(page, 'player');
