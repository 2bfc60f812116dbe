/** After any damage to the journal's files, a start reports the damage, and finds every whole frame and nothing that was never written. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { diskError, interceptDisk } from '../../../tests/interceptedDisk.ts';
import {
  absentShard,
  readRows,
  recoverRows,
  silentLog,
  smallDisk,
  storeMessages,
} from '../../../tests/rows.ts';
import { openLogIntake } from '../../intake/intake.ts';
import { localDisk } from './disk.ts';
import { damagedFolder, recoverSegments } from './recovery.ts';
import { dropDamagedBlocks } from './segment.ts';

const frames = 6;
let root = '';
let original = '';

/** Writes a journal with one segment of six frames, each of two rows. */
before(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-recovery-'));
  original = path.join(root, 'original');
  const options = { directory: original, shards: [absentShard], engineDirectory: original };
  const intake = await openLogIntake({ disk: smallDisk, log: silentLog }, options);
  for (let frame = 0; frame < frames; frame++) await storeMessages(intake, [`${frame}a`, `${frame}b`]);
  // The copy is what a crash would leave: it has nothing that follows.
  original = await copySegments(original, 'crashed');
  void intake[Symbol.asyncDispose]();
});

after(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Copies only the segments into a new directory. */
async function copySegments(from: string, name: string): Promise<string> {
  const directory = path.join(root, name);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  for (const file of await readdir(from)) {
    if (file.endsWith('.journal')) await copyFile(path.join(from, file), path.join(directory, file));
  }
  return directory;
}

async function findSegmentFile(directory: string): Promise<string> {
  for (const name of (await readdir(directory)).sort()) {
    const file = path.join(directory, name);
    if (name.endsWith('.journal') && (await stat(file)).size > 0) return file;
  }
  throw new Error('no segment holds anything');
}

/** Copies the journal, with these bytes in its segment. */
async function copyWith(name: string, bytes: Buffer): Promise<string> {
  const directory = await copySegments(original, name);
  await writeFile(await findSegmentFile(directory), bytes);
  return directory;
}

function messagesOf(rows: readonly { message: string }[]): string[] {
  return rows.map(row => row.message);
}

function expectedMessages(...lost: number[]): string[] {
  const kept = Array.from({ length: frames }, (_, frame) => frame).filter(frame => !lost.includes(frame));
  return kept.flatMap(frame => [`${frame}a`, `${frame}b`]);
}

async function readEnds(): Promise<number[]> {
  const [segment] = await recoverSegments(
    { disk: localDisk, log: silentLog },
    await copyWith('ends', await readFile(await findSegmentFile(original))),
  );
  await segment!.file.close();
  return segment!.extents.offsets.map((offset, index) => offset + segment!.extents.lengths[index]!);
}

test('finds all frames of an undamaged journal', async () => {
  const bytes = await readFile(await findSegmentFile(original));
  assert.deepEqual(messagesOf(await recoverRows(await copyWith('whole', bytes))), expectedMessages());
});

test('keeps exactly the frames before a cut at any byte of the last two', async () => {
  const bytes = await readFile(await findSegmentFile(original));
  const ends = await readEnds();
  for (let length = ends[frames - 3]!; length < bytes.length; length++) {
    const directory = await copyWith('cut', bytes);
    await truncate(await findSegmentFile(directory), length);
    const whole = ends.filter(end => end <= length).length;
    const lost = Array.from({ length: frames - whole }, (_, index) => whole + index);
    assert.deepEqual(messagesOf(await recoverRows(directory)), expectedMessages(...lost), `cut at ${length}`);
    // The next start finds the same, without anything to cut off.
    const warnings = collectWarnings();
    assert.deepEqual(messagesOf(await recoverRows(directory, warnings.log)), expectedMessages(...lost));
    assert.deepEqual(warnings.lines, []);
  }
});

test('with any bit flipped, keeps all frames but the one hit, and sets the damaged bytes aside', async () => {
  const bytes = await readFile(await findSegmentFile(original));
  const ends = await readEnds();
  for (let position = 0; position < bytes.length; position += 5) {
    const flipped = Buffer.from(bytes);
    flipped[position] = flipped[position]! ^ (1 << (position % 8));
    const directory = await copyWith('flipped', flipped);
    const hit = ends.findIndex(end => position < end);
    const warnings = collectWarnings();
    const segments = await recoverSegments({ disk: localDisk, log: warnings.log }, directory);
    const [segment] = segments;
    const dropped = await dropDamagedBlocks(segment!);
    assert.deepEqual(messagesOf(await readRows(segment!)), expectedMessages(hit), `flipped at ${position}`);
    await segment!.file.close();
    const isKept =
      segment!.isDamaged || dropped > 0 || (await readdir(path.join(directory, damagedFolder))).length > 0;
    assert.ok(isKept, `nothing was kept aside, flipped at ${position}`);
    assert.ok(dropped > 0 || warnings.lines.length > 0, `nothing was said, flipped at ${position}`);
  }
});

/** Copies the journal with an unreadable header in the last acknowledged frame. */
async function copyWithDamagedEnd(name: string): Promise<{ directory: string; tail: Buffer; bytes: Buffer }> {
  const bytes = await readFile(await findSegmentFile(original));
  const from = (await readEnds())[frames - 2]!;
  bytes[from + 20]! ^= 1;
  return { directory: await copyWith(name, bytes), tail: bytes.subarray(from), bytes };
}

test('sets an unreadable end aside and syncs it before cutting it off', async () => {
  const { directory, tail } = await copyWithDamagedEnd('damaged-end');
  const steps: string[] = [];
  const disk = interceptDisk(
    localDisk,
    ({ name, path: at }) => void steps.push(`${name} ${path.extname(at)}`),
  );
  const warnings = collectWarnings();
  const [segment] = await recoverSegments({ disk, log: warnings.log }, directory);
  assert.deepEqual(steps.slice(steps.indexOf('remove .tail')), [
    'remove .tail',
    'create .tail',
    'write .tail',
    'sync .tail',
    'syncDirectory ', // the folder
    'syncDirectory ', // the journal, which holds the folder's name
    'truncate .journal',
    'sync .journal',
  ]);
  assert.deepEqual(messagesOf(await readRows(segment!)), expectedMessages(frames - 1));
  await segment!.file.close();
  const [kept = ''] = await readdir(path.join(directory, damagedFolder));
  assert.deepEqual(await readFile(path.join(directory, damagedFolder, kept)), tail);
  assert.equal(warnings.lines.length, 1);
  assert.match(warnings.lines[0]!, /the end of the journal cannot be read; it was moved aside/);
});

for (const failing of ['create', 'write', 'sync', 'syncDirectory'] as const) {
  test(`leaves an unreadable end in place when setting it aside fails at its ${failing}`, async () => {
    const { directory, tail, bytes } = await copyWithDamagedEnd('full-disk');
    const file = await findSegmentFile(directory);
    const disk = interceptDisk(localDisk, ({ name, path: at }) => {
      if (name === failing && !at.endsWith('.journal')) throw diskError('ENOSPC');
    });
    const warnings = collectWarnings();
    const [segment] = await recoverSegments({ disk, log: warnings.log }, directory);
    assert.deepEqual(messagesOf(await readRows(segment!)), expectedMessages(frames - 1));
    assert.deepEqual(await readFile(file), bytes);
    assert.ok(segment!.isDamaged, 'it will be kept as a whole');
    assert.equal(warnings.lines.length, 1);
    assert.match(warnings.lines[0]!, /cannot be read, nor moved aside/);
    await segment!.file.close();

    // Once there is room, the next start keeps it.
    assert.deepEqual(messagesOf(await recoverRows(directory)), expectedMessages(frames - 1));
    const [kept = ''] = await readdir(path.join(directory, damagedFolder));
    assert.deepEqual(await readFile(path.join(directory, damagedFolder, kept)), tail);
  });
}

test('accepts no frame of another segment', async () => {
  const bytes = await readFile(await findSegmentFile(original));
  const directory = await copySegments(original, 'foreign');
  const file = await findSegmentFile(directory);
  await rm(file);
  const other = path.join(directory, path.basename(file).replace(/-[0-9a-f]{16}-/, '-0123456789abcdef-'));
  await writeFile(other, bytes);
  assert.deepEqual(await recoverRows(directory), []);
});

test('treats bytes missing from an older segment as damage, not as an unfinished write', async () => {
  const bytes = await readFile(await findSegmentFile(original));
  const directory = await copyWith('older', bytes);
  // The newer segment has content, so the older one was closed before.
  const options = { directory, shards: [absentShard], engineDirectory: original };
  const intake = await openLogIntake({ disk: smallDisk, log: silentLog }, options);
  await storeMessages(intake, ['younger']);
  const crashed = await copySegments(directory, 'older-crashed');
  void intake[Symbol.asyncDispose]();
  await truncate(await findSegmentFile(crashed), bytes.length - 1);
  const warnings = collectWarnings();
  const segments = await recoverSegments({ disk: localDisk, log: warnings.log }, crashed);
  assert.deepEqual(
    segments.map(segment => segment.isDamaged),
    [true, false],
  );
  assert.equal(warnings.lines.length, 1);
  for (const segment of segments) await segment.file.close();
});

test('rejects the key of a torn frame, even if a reset clock makes its segment look older', async () => {
  const directory = path.join(root, 'torn');
  const options = { directory, shards: [absentShard], engineDirectory: original };
  const intake = await openLogIntake({ disk: smallDisk, log: silentLog }, options);
  await storeMessages(intake, ['acknowledged']);
  const key = {
    scopeHash: Buffer.alloc(16, 1),
    bodyHash: Buffer.alloc(16, 2),
    traceId: Buffer.alloc(16, 3),
    storedAt: 0,
  };
  await storeMessages(intake, ['never answered'], { key });
  const crashed = await copySegments(directory, 'torn-crashed');
  void intake[Symbol.asyncDispose]();
  const file = await findSegmentFile(crashed);
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(0, bytes.length - 40));
  // From an earlier run, whose clock was ahead.
  const ahead = path.basename(file).replace(/^\d{16}/, '9'.repeat(16));
  await writeFile(path.join(crashed, ahead), 'anything');
  const warnings = collectWarnings();
  const [torn, ...others] = await recoverSegments({ disk: localDisk, log: warnings.log }, crashed);
  assert.deepEqual(torn!.keys, []);
  assert.deepEqual(messagesOf(await readRows(torn!)), ['acknowledged']);
  assert.ok(torn!.isDamaged);
  for (const segment of [torn!, ...others]) await segment.file.close();
});

test('removes a cut mark once its segment is gone, and not before', async () => {
  const bytes = await readFile(await findSegmentFile(original));
  const ends = await readEnds();
  const directory = await copyWith('marked', bytes);
  const mark = `${path.basename(await findSegmentFile(directory), '.journal')}.${ends[0]}.cut`;
  const leftMark = `0000000000000001-0123456789abcdef-${mark.slice(34, 42)}.100.cut`;
  for (const name of [mark, leftMark]) await writeFile(path.join(directory, name), '');
  assert.deepEqual(messagesOf(await recoverRows(directory)), ['0a', '0b']);
  const marks = (await readdir(directory)).filter(name => name.endsWith('.cut'));
  assert.deepEqual(marks, [mark]);
});

function collectWarnings(): { log: pino.Logger; lines: string[] } {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'warn' }, { write: line => void lines.push(line) }) };
}
