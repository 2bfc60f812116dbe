/** Tests senders of GELF, syslog, Fluentd's forward protocol and systemd's journal from PyPI, npm and Debian. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { installPythonClients } from '../../../scripts/clients/installedClients.ts';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import type { Entry } from '../support/storedEntries.ts';

const token = 'logs-token-of-the-tested-senders';
const port = await findFreePort();
const environment = {
  TAPEDECK_LOGS_TOKEN: token,
  TAPEDECK_SYSLOG: `udp://127.0.0.1:${port},tcp://127.0.0.1:${port}`,
};
const service = await startTestService({ environment });
after(() => service[Symbol.asyncDispose]());
const { hostname, port: httpPort } = new URL(service.url);
const { python } = await installPythonClients();

type Outcome = { status: number | null; said: string };

async function run(command: string, args: readonly string[], input = ''): Promise<Outcome> {
  const child = spawn(command, args);
  child.stdin.on('error', () => {}).end(input); // some senders never read their input
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await once(child, 'close');
  return { status, said: (await said).join('') };
}

const findMsMax = 20_000;

/** Polls until `count` entries are stored, since most of these senders get no response. */
async function find(query: string, count: number): Promise<Entry[]> {
  const deadline = performance.now() + findMsMax;
  for (;;) {
    const response = await service.fetch(
      `/api/v3/logs?order=asc&limit=100&query=${encodeURIComponent(query)}`,
      { headers: { authorization: token } },
    );
    const { data } = (await response.json()) as { data: Entry[] }; // CONTRACT.md, 4.2
    if (data.length >= count) return data;
    assert.ok(performance.now() < deadline, `found ${data.length} of ${count} entries of ${query}`);
    await wait(50);
  }
}

const levels = { debug: 'debug', info: 'info', warning: 'warn', error: 'error' };

async function send(sender: string, to: string | number, key = token): Promise<void> {
  const program = path.join(import.meta.dirname, 'senders/loggingSender.py');
  const { status, said } = await run(python, [program, sender, '127.0.0.1', String(to), key]);
  assert.equal(status, 0, said);
}

/** Checks that four levels and a failure with its stack arrive, each whole and once. */
async function checkSent(sender: string): Promise<Entry[]> {
  const entries = await find(`"by ${sender}"`, 5);
  const failure = entries.find(({ body }) => body.startsWith('broken'));
  assert.match(failure?.body ?? '', /^broken by .*\nTraceback .*\nZeroDivisionError: division by zero\n?$/s);
  assert.deepEqual(
    entries
      .filter(each => each !== failure)
      .map(({ level, body }) => `${level}: ${body}`)
      .toSorted(),
    Object.entries(levels)
      .map(([word, level]) => `${level}: ${word} by ${sender} ü 東京`)
      .toSorted(),
  );
  return entries;
}

describe('GELF', () => {
  for (const sender of ['graypy', 'plain', 'pygelf'])
    it(`${sender}, which never reads a response`, async () => {
      await send(sender, httpPort);
      await checkSent(sender);
      assert.equal((await find(`player:Ådå "by ${sender}"`, 4)).length, 4);
    });
  it('a wrong token stores nothing', async () => {
    await send('graypy', httpPort, 'wrong');
    await checkSent('graypy'); // no more than before
  });
});

describe('syslog', () => {
  for (const sender of ['syslog-udp', 'syslog-tcp'])
    it(`SysLogHandler of Python, ${sender}`, async () => {
      await send(sender, port);
      for (const { resource, metadata } of await checkSent(sender))
        assert.deepEqual([resource, metadata], ['my-app', { facility: 'local3', pid: '7' }]);
    });

  const data = [
    '--sd-id=game@32473',
    '--sd-param=player="7"',
    '--sd-param=name="A \\"b\\""',
    '--msgid=LOGIN',
  ];
  const logged: readonly [title: string, flags: string[], metadata: Record<string, string>][] = [
    ['by UDP', ['--udp'], {}],
    ['by UDP, in RFC 3164 format', ['--udp', '--rfc3164', '--id=9'], { pid: '9' }],
    ['by UDP, with octet counts', ['--udp', '--octet-count'], {}],
    ['by TCP, as a line', ['--tcp'], {}],
    ['by TCP, in RFC 3164 format', ['--tcp', '--rfc3164'], {}],
    ['by TCP, with octet counts', ['--tcp', '--octet-count'], {}],
    ['by TCP, without a header', ['--tcp', '--rfc5424=notime,notq,nohost'], {}],
    [
      'by TCP, with structured data',
      ['--tcp', '--octet-count', ...data],
      { 'game@32473.player': '7', 'game@32473.name': 'A "b"', msgid: 'LOGIN' },
    ],
  ];
  for (const [index, [title, flags, expected]] of logged.entries())
    it(`logger ${title}`, async () => {
      const said = `Grüße 東京 ${index}`;
      const lines =
        flags.includes('--udp') && !flags.includes('--octet-count') ? said : `${said} `.repeat(30).trim();
      const to = ['--server=127.0.0.1', `--port=${port}`, '--size=8KiB', `--tag=logger-${index}`];
      const outcome = await run('logger', [...to, '--priority=local0.warning', ...flags, lines]);
      assert.deepEqual(outcome, { status: 0, said: '' });
      const [entry, ...others] = await find(`resource:logger-${index}`, 1);
      assert.deepEqual([entry?.level, entry?.body, others], ['warn', lines, []]);
      for (const [name, value] of Object.entries({ ...expected, facility: 'local0' }))
        assert.equal(entry?.metadata[name], value);
    });
});

describe('systemd-journal-upload', async () => {
  const directory = await makeDirectory();
  after(() => directory[Symbol.asyncDispose]());
  const journal = path.join(directory.path, 'tested.journal');
  const seconds = Math.floor(Date.now() / 1000);
  const entries = ['MESSAGE=started ü', 'MESSAGE=stopped'].map(
    (message, index) =>
      `${message}\nPRIORITY=${4 - index}\nSYSLOG_IDENTIFIER=journal-app\n_PID=7\n__REALTIME_TIMESTAMP=${seconds + index}000000\n\n`,
  );
  await run('/lib/systemd/systemd-journal-remote', [`--output=${journal}`, '-'], entries.join(''));
  const upload = (key: string) =>
    run('/lib/systemd/systemd-journal-upload', [
      `--url=http://tapedeck:${key}@${hostname}:${httpPort}`,
      `--file=${journal}`,
      '--follow=no',
    ]);

  it('reports what is wrong with its token', async () => {
    const { status, said } = await upload('wrong');
    assert.notEqual(status, 0);
    assert.match(said, /failed with code 401: .*This token is not known/);
  });
  it('sends each entry whole and once', async () => {
    assert.equal((await upload(token)).status, 0);
    assert.deepEqual(
      (await find('resource:journal-app', 2)).map(({ level, body, metadata, timestamp }) => [
        level,
        body,
        metadata._PID,
        Date.parse(timestamp) / 1000 - seconds,
      ]),
      [
        ['warn', 'started ü', '7', 0],
        ['error', 'stopped', '7', 1],
      ],
    );
  });
});
