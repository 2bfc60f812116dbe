/** A project's long bodies: every query still gets an exact answer, in that project and in others. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeLongEntry, questionsOfLongBodies, rareWord } from '../support/longBodies.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());

const longEntries = 1_440; // 94 MB, which once exceeded a query's memory limit
const shortEntries = 2_000;
const longEachRequest = 36;
const owner = await addPerson(service, { isOwner: true });
const long = await openCaller(await addProject(owner, 'dumps'));
const short = await openCaller('default');
const callers = [long, short];
const counted = { despawn: 0, [rareWord]: 0, qwertzuiop: 0 };
/** Bodies that contain the rare word. */
const rare: string[] = [];

type Caller = { project: string; ask(path: string, body?: string): Promise<Response> };

async function openCaller(project: string): Promise<Caller> {
  const [logs, admin] = await Promise.all([
    addToken(owner, { kind: 'logs', project }),
    addToken(owner, { kind: 'admin', project }),
  ]);
  return {
    project,
    ask: (path, body) => {
      const authorization = path.startsWith('/manage') ? admin.token : logs.token;
      const headers = { authorization, 'content-type': 'application/json' };
      return service.fetch(`/api${path}`, { headers, ...(body && { method: 'POST', body }) });
    },
  };
}

before(async () => {
  const shortBodies = Array.from({ length: shortEntries }, (_, number) => ({
    level: number % 10 === 0 ? 'error' : 'info',
    message: `Player ${number} left after ${number % 7} minutes`,
    metadata: { map: `map-${number % 5}`, ping: number % 300 },
  }));
  await send(short, shortBodies);
  for (let from = 0; from < longEntries; from += longEachRequest) {
    const entries = Array.from({ length: longEachRequest }, (_, index) => makeLongEntry(from + index));
    rare.push(...entries.map(({ message }) => message).filter(message => message.endsWith(rareWord)));
    for (const { message } of entries)
      for (const word of Object.keys(counted) as (keyof typeof counted)[])
        if (new RegExp(`\\b${word}\\b`).test(message)) counted[word] += 1;
    await send(long, entries);
  }
});

async function send({ ask }: Caller, entries: readonly object[]): Promise<void> {
  const response = await ask('/v3/logs', JSON.stringify(entries));
  assert.equal(response.status, 200, await response.text());
}

describe('with 1,440 bodies of 64 KiB, both projects get responses at once', () => {
  for (const [name, compose] of Object.entries(questionsOfLongBodies))
    it(name, async () => {
      await Promise.all(callers.map(caller => requireAnswer(caller, compose)));
    });
});

type Compose = (typeof questionsOfLongBodies)[string];

async function requireAnswer({ project, ask }: Caller, compose: Compose): Promise<void> {
  // The contract's shape.
  const newest = (await (await ask('/v3/logs?limit=1')).json()) as { data: { traceId: string }[] };
  const response = await ask(compose(project, newest.data[0]?.traceId ?? ''));
  const answer = await response.text();
  assert.equal(response.status, 200, `${project}: ${answer.slice(0, 1_000)}`);
}

describe('counts are exact', () => {
  for (const word of Object.keys(counted) as (keyof typeof counted)[])
    it(word, async () => {
      const response = await long.ask(`/v3/logs?limit=1&includeTotal=true&query=${word}`);
      // The contract's shape.
      const answer = (await response.json()) as { pagination: { total: number } };
      assert.equal(answer.pagination.total, counted[word]);
    });

  it('an export contains each body whole', async () => {
    const response = await long.ask(`/v3/logs/export?format=ndjson&query=${rareWord}`);
    const lines = (await response.text()).trim().split('\n');
    const bodies = lines.map(line => JSON.parse(line).body).toSorted();
    const wanted = rare.toSorted();
    assert.ok(wanted.length > 0);
    assert.ok(bodies.length === wanted.length && bodies.every((body, index) => body === wanted[index]));
  });
});
