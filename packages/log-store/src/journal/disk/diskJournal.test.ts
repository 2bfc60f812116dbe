/** Tests the journal's invariants (the head of `journal.ts` states them) against disks that fail and processes that die. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '@tapedeck/values/failure';
import { type DiskStep, diskError, type Intercept, interceptDisk } from '../../../tests/interceptedDisk.ts';
import { absentShard, recoverRows, silentLog, smallDisk, storeMessages } from '../../../tests/rows.ts';
import { openLogIntake } from '../../intake/intake.ts';
import type { LogIntake } from '../../intake/logIntake.ts';
import type { KeyRecord } from '../journal.ts';
import { localDisk } from './disk.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-journal-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

type Intake = LogIntake & AsyncDisposable;

/** Opens an intake whose engine is away, so that everything stays in the journal. */
function openIntake(intercept: Intercept = () => {}): Promise<Intake> {
  const disk = interceptDisk(smallDisk, intercept);
  return openLogIntake(
    { disk, log: silentLog },
    { directory, shards: [absentShard], engineDirectory: directory },
  );
}

async function recoverMessages(): Promise<string[]> {
  return (await recoverRows(directory)).map(row => row.message);
}

function isOfSegment(step: DiskStep): boolean {
  return step.path.endsWith('.journal');
}

function refusedWith(code: string): (error: unknown) => boolean {
  return error => error instanceof Failure && error.code === code;
}

test('a restart finds acknowledged entries in order', async () => {
  const messages = Array.from({ length: 500 }, (_, index) => `message ${index}`);
  {
    await using intake = await openIntake();
    for (const message of messages.slice(0, 20)) await storeMessages(intake, [message]);
    await storeMessages(intake, messages.slice(20));
  }
  assert.deepEqual(await recoverMessages(), messages);
});

test('requests that wait for the same sync share it', async () => {
  const syncs: DiskStep[] = [];
  const underWay = Promise.withResolvers<void>();
  const firstSync = Promise.withResolvers<void>();
  await using intake = await openIntake(async step => {
    if (step.name !== 'sync' || !isOfSegment(step)) return;
    syncs.push(step);
    underWay.resolve();
    if (syncs.length === 1) await firstSync.promise;
  });
  const first = storeMessages(intake, ['first']);
  while (syncs.length === 0)
    await once(process, 'beforeExit', { signal: AbortSignal.timeout(5) }).catch(() => {});
  const others = Array.from({ length: 200 }, (_, index) => storeMessages(intake, [`other ${index}`]));
  firstSync.resolve();
  await Promise.all([first, ...others]);
  assert.equal(syncs.length, 2);
});

test('acknowledges a batch only once it is written and synced', async () => {
  const steps: string[] = [];
  await using intake = await openIntake(step => {
    if (isOfSegment(step)) steps.push(step.name);
  });
  steps.length = 0;
  await storeMessages(intake, ['one']).then(() => steps.push('acknowledged'));
  assert.deepEqual(
    steps.filter(step => step !== 'create'), // of the spare segment
    ['write', 'sync', 'acknowledged'],
  );
});

type FailingCase = { title: string; code: string; intercept: (state: { isFailing: boolean }) => Intercept };

const failures: FailingCase[] = [
  {
    title: 'a disk that is full before the write',
    code: 'disk_full',
    intercept: state => step => {
      if (state.isFailing && step.name === 'write' && isOfSegment(step)) throw diskError('ENOSPC');
    },
  },
  {
    title: 'a disk that fills up in the middle of a write',
    code: 'disk_full',
    intercept: state => step => {
      if (state.isFailing && step.name === 'write' && isOfSegment(step)) {
        return { writtenBytes: 40, error: diskError('ENOSPC') };
      }
    },
  },
  {
    title: 'a sync that fails after the write',
    code: 'unavailable',
    intercept: state => step => {
      if (!state.isFailing || step.name !== 'sync' || !isOfSegment(step)) return;
      state.isFailing = false; // the sync that confirms the cut succeeds
      throw diskError('EIO');
    },
  },
  {
    title: 'a sync that fails on a file that cannot be truncated either',
    code: 'unavailable',
    intercept: state => step => {
      if (state.isFailing && ['sync', 'truncate'].includes(step.name) && isOfSegment(step))
        throw diskError('EIO');
    },
  },
];

for (const { title, code, intercept } of failures) {
  test(`${title}: refuses the batch with ${code} and never shows it`, async () => {
    const state = { isFailing: false };
    {
      await using intake = await openIntake(intercept(state));
      await storeMessages(intake, ['before']);
      state.isFailing = true;
      await assert.rejects(storeMessages(intake, ['refused']), refusedWith(code));
      assert.deepEqual(await recoverWhileOpen(), ['before']);
      state.isFailing = false;
      await storeWhenPossible(intake, 'after');
    }
    assert.deepEqual(await recoverMessages(), ['before', 'after']);
  });
}

/** Returns the batches that a start would find if the process died now. */
async function recoverWhileOpen(): Promise<string[]> {
  const copy = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-journal-copy-'));
  try {
    await cp(directory, copy, { recursive: true, filter: file => !/reserve$|lock$/.test(file) });
    return (await recoverRows(copy)).map(row => row.message);
  } finally {
    await rm(copy, { recursive: true });
  }
}

async function storeWhenPossible(intake: Intake, message: string): Promise<void> {
  for (;;) {
    try {
      await storeMessages(intake, [message]);
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await wait(50);
    }
  }
}

test('does not answer while a batch can be neither synced nor undone', async () => {
  const state = { isFailing: false };
  const failed = Promise.withResolvers<void>();
  let creates = 0;
  await using intake = await openIntake(step => {
    if (!state.isFailing || !['sync', 'truncate', 'create', 'syncDirectory'].includes(step.name)) return;
    // At the second attempt the journal already knows that the first has failed.
    if (step.name === 'create' && ++creates === 2) failed.resolve();
    throw diskError('EIO');
  });
  await storeMessages(intake, ['before']);
  state.isFailing = true;
  let isAnswered = false;
  const refused = storeMessages(intake, ['refused']).finally(() => {
    isAnswered = true;
  });
  refused.catch(() => {});
  await failed.promise;
  // Other requests are refused at once meanwhile, because nothing of theirs was written.
  await assert.rejects(storeMessages(intake, ['while failing']), refusedWith('unavailable'));
  assert.equal(isAnswered, false);
  state.isFailing = false;
  await assert.rejects(refused, refusedWith('unavailable'));
  assert.deepEqual(await recoverWhileOpen(), ['before']);
});

test('keeps keys with the entries they were stored with', async () => {
  const key: KeyRecord = {
    scopeHash: Buffer.alloc(16, 1),
    bodyHash: Buffer.alloc(16, 2),
    traceId: Buffer.alloc(16, 3),
    storedAt: Date.now(),
  };
  {
    await using intake = await openIntake();
    await storeMessages(intake, ['without']);
    await storeMessages(intake, ['with'], { key });
    assert.deepEqual(await intake.findKey(key.scopeHash), key);
  }
  await using intake = await openIntake();
  assert.deepEqual(await intake.findKey(key.scopeHash), key);
  assert.equal(await intake.findKey(Buffer.alloc(16, 9)), null);
});

test('keeps a second service out of the directory', async () => {
  await using intake = await openIntake();
  await assert.rejects(openIntake(), refusedWith('unavailable'));
  await storeMessages(intake, ['still works']);
});

test('rejects batches once the journal has reached its limit', async () => {
  const totalBytes = 10_000; // the limit is a tenth of it
  const disk = { ...localDisk, measureSpace: async () => ({ freeBytes: totalBytes, totalBytes }) };
  const options = { directory, shards: [absentShard], engineDirectory: directory };
  await using intake = await openLogIntake({ disk, log: silentLog }, options);
  await storeMessages(intake, ['x'.repeat(900)]);
  assert.throws(
    () => intake.openBatch({ project: 'arena', dataset: 'game', retentionDays: null }, { isKeyed: false }),
    refusedWith('journal_full'),
  );
});

/** Points at which the process is killed: before the n-th step of a kind. */
const deaths = [
  { name: 'write', nth: 4 },
  { name: 'sync', nth: 4 },
  { name: 'create', nth: 3 },
  { name: 'syncDirectory', nth: 3 },
  { name: 'truncate', nth: 1 },
] as const;

for (const { name, nth } of deaths) {
  test(`killed before ${name} number ${nth}, it keeps all acknowledged and no refused batches`, async () => {
    const program = path.join(import.meta.dirname, '../../../tests/dyingIntake.ts');
    const child = spawn(process.execPath, [program, directory, name, String(nth)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk;
    });
    const [, signal] = await once(child, 'close');
    assert.equal(signal, 'SIGKILL');
    const lines = output.split('\n').filter(line => line !== '');
    const acknowledged = lines.filter(line => line.startsWith('ok ')).map(line => line.slice(3));
    const refused = lines.filter(line => line.startsWith('no ')).map(line => line.slice(3));
    const found = await recoverMessages();
    assert.deepEqual(
      acknowledged.filter(message => !found.includes(message)),
      [],
    );
    assert.deepEqual(
      refused.filter(message => found.includes(message)),
      [],
    );
    const single = found.filter(message => !message.startsWith('bulk'));
    assert.equal(new Set(single).size, single.length);
  });
}
