/** `tapedeck logs --follow` shows each entry once, whatever happens to the service, until the user stops it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { makeDirectory } from '../support/service.ts';
import { commandOf, type ServiceProcess, startProcess, tapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const environment = {
  TAPEDECK_DATA_DIR: directory.path,
  TAPEDECK_PORT: String(await findFreePort()),
  TAPEDECK_HOST: '127.0.0.1',
  TAPEDECK_LOGS_TOKEN: 'a-token-of-the-tests',
};
let service: ServiceProcess = await startProcess(environment);
after(() => service[Symbol.asyncDispose]());

const showMsMax = 30_000; // an entry takes less than a second, but CI machines are slow

async function store(...messages: string[]): Promise<void> {
  const response = await fetch(`${service.url}/api/v3/logs`, {
    method: 'POST',
    headers: { authorization: environment.TAPEDECK_LOGS_TOKEN, 'content-type': 'application/json' },
    body: JSON.stringify(messages.map(message => ({ level: 'info', message }))),
  });
  assert.equal(response.status, 200, await response.text());
}

/** Starts the command in a separate process and collects its output. */
function begin(words: readonly string[], changes: object = {}) {
  const [program = '', ...args] = commandOf(['logs', '--follow', ...words]);
  const child = spawn(program, args, { env: { ...process.env, ...environment, ...changes } });
  const said = { printed: '', complained: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said.printed += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said.complained += part;
  });
  const ended = once(child, 'close');
  return {
    child,
    said,
    ended,
    /** Resolves once the output matches. */
    until: async (where: 'printed' | 'complained', expected: RegExp) => {
      for (const deadline = performance.now() + showMsMax; !expected.test(said[where]); await wait(20)) {
        assert.ok(performance.now() < deadline, `${expected} is not in ${JSON.stringify(said)}`);
      }
    },
    bodies: () => [...said.printed.matchAll(/INFO {2}(.*)$/gm)].map(([, body]) => body),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('shows the last entries, then new ones, each once, even across restarts of the service', async () => {
  const before = Array.from({ length: 12 }, (_, number) => `before ${number}`);
  await store(...before);
  await using followed = begin([]);
  await followed.until('printed', /before 11/);
  await store('first', 'second');
  await followed.until('printed', /second/);
  for (const [round, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
    service.child.kill(signal);
    await service.exit;
    await followed.until('complained', new RegExp(`(Reconnecting[^]*){${round + 1}}`));
    service = await startProcess(environment);
    await store(`while away ${round}`); // perhaps before the command follows again
    await followed.until('complained', new RegExp(`(Following again[^]*){${round + 1}}`));
    await store(`afterwards ${round}`);
    await followed.until('printed', new RegExp(`afterwards ${round}`));
  }
  assert.deepEqual(followed.bodies(), [
    ...before.slice(2),
    'first',
    'second',
    'while away 0',
    'afterwards 0',
    'while away 1',
    'afterwards 1',
  ]);
});

test('with a time, shows all since then; entries that arrive while reading are shown once', async () => {
  const words = Array.from({ length: 150 }, (_, number) => `many ${number}`);
  await store(...words);
  let isDone = false;
  const sent: string[] = [];
  const writing = (async () => {
    for (let number = 0; !isDone; number++) {
      await store(`meanwhile ${number}`);
      sent.push(`meanwhile ${number}`);
    }
  })();
  await using followed = begin(['many OR meanwhile', '--since', '1h']);
  await followed.until('printed', /meanwhile/);
  isDone = true;
  await writing;
  await store('meanwhile at last');
  await followed.until('printed', /at last/);
  assert.deepEqual(followed.bodies(), [...words, ...sent, 'meanwhile at last']);
});

test('shows only matching entries, as JSON on request', async () => {
  await store('json one', 'other');
  await using followed = begin(['-n', '1', 'json', '--json']);
  await followed.until('printed', /json one/);
  await store('another', 'json two');
  await followed.until('printed', /json two.*\n/);
  const lines = followed.said.printed.trimEnd().split('\n');
  assert.deepEqual(
    lines.map(line => (JSON.parse(line) as { body: string }).body),
    ['json one', 'json two'],
  );
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} ends it silently, and removes its access`, async () => {
    await using followed = begin([], { TAPEDECK_LOGS_TOKEN: '' });
    await followed.until('printed', /\n/);
    const list = async () => tapedeck(['token', 'list'], environment);
    assert.match(await list(), /tapedeck logs/);
    followed.child.kill(signal);
    const [exitCode] = await followed.ended;
    assert.deepEqual([exitCode, followed.said.complained], [code, '']);
    assert.doesNotMatch(await list(), /tapedeck logs/);
  });
}

test('a revoked token ends it with the message of the service', async () => {
  const words = ['token', 'create', '--kind', 'logs', '--json'];
  const { token, id } = JSON.parse(await tapedeck(words, environment)) as { token: string; id: string };
  await using followed = begin(['-n', '1'], { TAPEDECK_TOKEN: token });
  await followed.until('printed', /\n/);
  await tapedeck(['token', 'revoke', id], environment);
  const [exitCode] = await followed.ended;
  assert.equal(exitCode, 1);
  assert.match(followed.said.complained, /revoked/);
});
