/** Limits how many of the repository's files one request of each common kind runs on the main thread. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openCoveredFiles } from '../support/coveredFiles.ts';
import { startTestService } from '../support/service.ts';
import { formOf, makePicture, mediaToken, pathOf, uploadRoute } from '../support/uploading.ts';

const logToken = 'log-token-of-the-tests-012345678';
/** Jobs run in some rounds; files that belong to a request run in all of them. */
const rounds = 8;
const settlingMsMax = 30_000; // for 32 MiB
/** Whichever request comes, the service rereads its copy of all tokens four times a second. Rounds with a reread do not count. */
const refresh = { file: 'packages/domain/src/identity/access.ts', name: '#readChanges' };
/** Jobs look for work about every second, and a timer syncs parts that were inserted before. */
const background = ['server/src/jobs/scheduler.ts', 'packages/log-store/src/writer/flushing/partSync.ts'];
/** If each request takes longer, every round has a refresh; then files of the database and of jobs do not count. */
const repeatsMax = 24;
const ofClock =
  /^(?:packages\/(?:metadata-database|metadata-store|alerting)|server\/src\/jobs)\/|\/partSync\.ts$/;

const service = await startTestService({
  environment: {
    TAPEDECK_MEDIA_TOKEN: mediaToken,
    TAPEDECK_LOGS_TOKEN: logToken,
    TAPEDECK_FAST_HTTP: 'true',
  },
});
after(() => service[Symbol.asyncDispose]());
const covered = await openCoveredFiles();
after(() => covered[Symbol.dispose]());

type Sent = { method: string; path: string; headers?: Record<string, string>; body?: Buffer };

const picture = await makePicture();
const json = { 'content-type': 'application/json' };
const logs = '/api/v3/logs';

/** Uploads a different file each time. */
async function composeUpload(round: number): Promise<Sent> {
  const form = new Response(formOf(picture, { filename: `way-${round}.png` }));
  const headers = { authorization: mediaToken, 'content-type': form.headers.get('content-type')! };
  return { method: 'POST', path: uploadRoute, headers, body: Buffer.from(await form.arrayBuffer()) };
}

async function composeBatch(round: number): Promise<Sent> {
  const entries = Array.from({ length: 100 }, (_, index) => ({
    level: 'info',
    message: `round ${round} entry ${index}`,
    metadata: { index, player: { name: 'Ann' } },
  }));
  const headers = { authorization: logToken, ...json };
  return { method: 'POST', path: logs, headers, body: Buffer.from(JSON.stringify(entries)) };
}

async function composeLokiPush(round: number): Promise<Sent> {
  const nanos = `${BigInt(Date.now()) * 1_000_000n}`;
  const values = Array.from({ length: 100 }, (_, index) => [nanos, `round ${round} line ${index}`]);
  const streams = [{ stream: { service_name: 'arena', level: 'info', host: 'a' }, values }];
  const headers = { authorization: logToken, ...json };
  return {
    method: 'POST',
    path: '/loki/api/v1/push',
    headers,
    body: Buffer.from(JSON.stringify({ streams })),
  };
}

/** A different query each time, so that none is cached. */
async function composeQuery(round: number): Promise<Sent> {
  return { method: 'GET', path: `${logs}?query=round%20${round}`, headers: { authorization: logToken } };
}

const stored = await send(await composeUpload(-1), new Agent());
// The upload's response; `uploads.test.ts` checks it against the contract.
const { data } = JSON.parse(stored.toString()) as { data: { url: string } };

async function composeRead(): Promise<Sent> {
  return { method: 'GET', path: pathOf(data.url) };
}

const requests: readonly [name: string, filesMax: number, compose: (round: number) => Promise<Sent>][] = [
  // One file counts uploads by project for `/metrics`, and one says whether the file is private.
  ['an upload', 35, composeUpload],
  // Three files find names from the metadata in the message, so that patterns have placeholders for them.
  ['a batch of log entries', 33, composeBatch],
  // It turns the body into values, as most protocols do: some ten files that a batch skips, since a batch is stored from its bytes.
  ["a push in Loki's protocol", 44, composeLokiPush],
  // Uses the query language, as the dashboard does; its parser takes three files that words in `q` skip. The table is small, so no file looks for
  // indexes.
  ['a query', 40, composeQuery],
  ['a repeated read', 9, composeRead],
];

for (const [name, filesMax, compose] of requests) {
  test(`${name} passes through at most ${filesMax} files`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await send(await compose(0), agent);
    await settle();
    const listed: string[][] = [];
    let repeats = 0;
    for (let round = 1; listed.length < rounds; round++) {
      const composed = await compose(round);
      await covered.forget();
      await send(composed, agent);
      const ran = await covered.list();
      const files = [...ran.keys()].sort();
      const isByClock =
        ran.get(refresh.file)?.includes(refresh.name) || background.some(file => ran.has(file));
      if (!isByClock) listed.push(files);
      else if (++repeats > repeatsMax) listed.push(files.filter(file => !ofClock.test(file)));
    }
    agent.destroy();
    const [first = [], ...others] = listed;
    const passed = first.filter(file => others.every(files => files.includes(file)));
    assert.ok(passed.length > 0, 'the files were recorded');
    assert.ok(passed.length <= filesMax, `${passed.length} files:\n${passed.join('\n')}`);
  });
}

/**
 * The first batch begins to fill the journal's reserve, which takes seconds on a slow disk and belongs to no request. A token refresh meanwhile
 * proves that the test still knows its name.
 */
async function settle(): Promise<void> {
  const deadline = performance.now() + settlingMsMax;
  let isFilling = true;
  let wasRefreshed = false;
  while (isFilling || !wasRefreshed) {
    assert.ok(performance.now() < deadline, 'the reserve was filled and the tokens were reloaded');
    await covered.forget();
    await wait(50);
    const ran = await covered.list();
    isFilling = [...ran.keys()].some(file => file.endsWith('reserve.ts'));
    wasRefreshed ||= ran.get(refresh.file)?.includes(refresh.name) === true;
  }
}

/** Resolves to the body of the response, which must be a success. */
async function send({ method, path, headers = {}, body }: Sent, agent: Agent): Promise<Buffer> {
  const sent = request(`${service.url}${path}`, { agent, method, headers }).end(body);
  // This event carries the response.
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const answer = await buffer(response);
  assert.ok([200, 204].includes(response.statusCode ?? 0), answer.toString());
  return answer;
}
