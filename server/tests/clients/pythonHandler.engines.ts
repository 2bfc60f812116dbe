/** Tests the handler for Python's logging with Debian's Python, over connections that fail in every way, against the real service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { type Behaviour, startRelay } from '../../../client/tests/relay.ts';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { startTestService } from '../support/service.ts';

const run = promisify(execFile);
const token = 'logs-token-of-the-tests-0123456789';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
const relay = await startRelay(service.url);
after(async () => {
  await relay[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
const beginning = (rest: string) => `
import json, logging, sys
from tapedeck import TapedeckHandler
handler = TapedeckHandler(${rest})
logger = logging.getLogger("lobby")
logger.setLevel(logging.DEBUG)
logger.addHandler(handler)
`;

type Entry = { body: string; level: string; resource: string; metadata: Record<string, string> };
type Outcome = { entries: Entry[]; printed: string; complained: string };

let datasets = 0;

/** Runs the program and sends its records to a new dataset. */
async function runProgram(
  program: string,
  {
    settings = '',
    behave = () => 'pass',
  }: { settings?: string; behave?: (number: number) => Behaviour } = {},
): Promise<Outcome> {
  const dataset = `python-${++datasets}`;
  relay.passed.length = 0;
  relay.behave((_, number) => behave(number));
  const opening = beginning(`"${relay.url}", "${token}", dataset="${dataset}"${settings && `, ${settings}`}`);
  const env = { ...process.env, PYTHONPATH: path.join(repositoryRoot, 'integrations/python') };
  const { stdout, stderr } = await run('python3', ['-c', opening + program], { env });
  const query = `/api/v3/logs?dataset=${dataset}&order=asc&limit=100`;
  const response = await service.fetch(query, { headers: { authorization: token } });
  // CONTRACT.md, 4.2.
  const { data } = (await response.json()) as { data: Entry[] };
  return { entries: data, printed: stdout.trim(), complained: stderr.trim() };
}

test('records arrive with level, resource, exception and extra fields when the program ends', async () => {
  const { entries, complained } = await runProgram(`
logger.debug("a %s", "detail")
logger.info("a player", extra={"player": {"id": 43}, "odd": object})
try:
    1 / 0
except ZeroDivisionError:
    logger.exception("it broke")
`);
  assert.equal(complained, '');
  assert.deepEqual(
    entries.map(({ level, resource }) => [level, resource]),
    ['debug', 'info', 'error'].map(level => [level, 'lobby']),
  );
  assert.deepEqual([entries[0]?.body, entries[1]?.body], ['a detail', 'a player']);
  assert.equal(entries[1]?.metadata['player.id'], '43');
  assert.match(entries[2]?.body ?? '', /^it broke\nTraceback.*ZeroDivisionError/s);
});

const failures: readonly { name: string; behave: (number: number) => Behaviour }[] = [
  { name: 'a dead connection', behave: number => (number < 3 ? 'break' : 'pass') },
  { name: 'a lost response', behave: number => (number < 3 ? 'lose' : 'pass') },
  { name: '503', behave: number => (number < 3 ? { status: 503 } : 'pass') },
  { name: '429', behave: number => (number < 2 ? { status: 429, headers: { 'Retry-After': '1' } } : 'pass') },
];

for (const { name, behave } of failures) {
  test(`${name} loses nothing, duplicates nothing, and is retried with the same key and body`, async () => {
    const program = `
for number in range(25):
    logger.warning("entry %d", number)
print(handler.flush(30), handler.dropped)
`;
    const { entries, printed } = await runProgram(program, { settings: 'batch_entries_max=10', behave });
    assert.equal(printed, 'True 0');
    const expected = Array.from({ length: 25 }, (_, index) => `entry ${index}`);
    assert.deepEqual(
      entries.map(({ body }) => body),
      expected,
    );
    const [first, second] = relay.passed;
    assert.deepEqual([second?.key, second?.text], [first?.key, first?.text]);
  });
}

test('drops only the rejected record, and reports it to the service', async () => {
  const { entries, printed } = await runProgram(`
logger.info("before")
logger.info("deep", extra={"deep": json.loads("[" * 30 + "]" * 30 + "") or 1, "many": {str(n): n for n in range(300)}})
logger.info("after")
print(handler.flush(30), handler.dropped)
print(handler.flush(30))
`);
  assert.deepEqual(printed.split('\n'), ['False 1', 'True']);
  const bodies = entries.map(({ body }) => body);
  assert.deepEqual(bodies.slice(0, 2), ['before', 'after']);
  assert.equal(entries[2]?.metadata['tapedeck.dropped'], '1');
});

test('drops new records when the queue is full', async () => {
  const program = `
for number in range(8):
    logger.info("entry %d", number)
print(handler.dropped)
`;
  const { entries, printed } = await runProgram(program, {
    settings: 'queue_entries_max=5, flush_interval=30',
  });
  assert.equal(printed, '3');
  const reports = entries.filter(({ metadata }) => metadata['tapedeck.dropped'] === '3');
  assert.deepEqual([entries.length, reports.length], [6, 1]);
});

test('limits the queue in bytes, too', async () => {
  const { printed } = await runProgram(
    `
import os
for number in range(600):
    logger.info("x" * 60_000)
print(handler.dropped, flush=True)
os._exit(0)
`,
    { settings: 'flush_interval=30' },
  );
  const kept = 600 - Number(printed);
  assert.ok(kept > 500 && kept * 60_000 < 32 * 1024 * 1024, `${kept} are kept`);
});

test('writes any metadata: cycles, keys that are not strings, numbers that JSON lacks', async () => {
  const { entries, complained } = await runProgram(`
circle = {}
circle["self"] = circle
logger.info("a circle", extra={"circle": circle})
logger.info("odd", extra={"odd": {(1, 2): float("nan")}})
`);
  assert.equal(complained, '');
  assert.deepEqual(
    entries.map(({ body }) => body),
    ['a circle', 'odd'],
  );
  assert.equal(entries[1]?.metadata['odd.(1, 2)'], 'nan');
});

test('a rejected token stops it: one line, and no further request', async () => {
  const program = `
for number in range(3):
    logger.info("entry %d", number)
print(handler.flush(30))
logger.info("too late")
print(handler.flush(30), handler.dropped)
`;
  const { printed, complained } = await runProgram(program, { behave: () => ({ status: 401 }) });
  assert.deepEqual(printed.split('\n'), ['False', 'True 4']);
  assert.match(complained, /^tapedeck: [^\n]*$/);
  assert.equal(relay.passed.length, 1);
});

test('a fork sends its own records, and the parent its own', async () => {
  const { entries } = await runProgram(`
import os
logger.info("parent")
child = os.fork()
if child == 0:
    logger.info("child")
    logging.shutdown()
    os._exit(0)
os.waitpid(child, 0)
`);
  assert.deepEqual(entries.map(({ body }) => body).sort(), ['child', 'parent']);
});

test('processes of multiprocessing send their records before they end', async () => {
  const { entries } = await runProgram(`
import multiprocessing

def work(number):
    logger.info("work %d", number)

logger.info("parent")
forks = multiprocessing.get_context("fork")
with forks.Pool(2) as pool:
    pool.map(work, range(4))
    pool.close()
    pool.join()
single = forks.Process(target=work, args=(4,))
single.start()
single.join()
`);
  assert.deepEqual(entries.map(({ body }) => body).sort(), [
    'parent',
    ...Array.from({ length: 5 }, (_, number) => `work ${number}`),
  ]);
});

test('a fork that logs nothing ends at once, though its parent was sending', async () => {
  const { printed } = await runProgram(
    `
import os, time
logger.info("parent")
handler._changed.acquire()  # what a thread may hold at the moment of a fork
child = os.fork()
if child == 0:
    began = time.monotonic()
    logging.shutdown()
    print(time.monotonic() - began < 1, flush=True)
    os._exit(0)
handler._changed.release()
for _ in range(50):
    ended, _ = os.waitpid(child, os.WNOHANG)
    if ended:
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
`,
  );
  assert.equal(printed, 'True');
});

test('halves of characters, as in names of files that are not UTF-8, do not cost the record', async () => {
  const { entries } = await runProgram(`
logger.info("opened caf\\udce9.png 😀", extra={"file \\udcff": "\\udcff", "long": 1})
logger.info("\\udcff" * 70000)
`);
  assert.deepEqual(
    entries.map(({ body }) => body.slice(0, 20)),
    ['opened caf?.png 😀', '?'.repeat(20)],
  );
  assert.equal(entries[0]?.metadata['file ?'], '?');
});

test('follows a clock that was set back, and keeps the time of records that waited', async () => {
  const { entries } = await runProgram(`
import time
for seconds, text in [(3600, "too early"), (0, "right"), (-60, "waited")]:
    logger.handle(logging.makeLogRecord({"name": "lobby", "msg": text, "levelno": 20, "created": time.time() + seconds}))
`);
  assert.deepEqual(
    entries.map(({ body }) => body),
    ['waited', 'right', 'too early'],
  );
});
