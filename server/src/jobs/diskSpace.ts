/** Measures free disk space periodically and logs changes. */
import { mkdir } from 'node:fs/promises';
import {
  type DiskChange,
  type DiskLevel,
  type DiskWatch,
  watchDisks,
} from '@tapedeck/domain/operations/diskWatch';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { isDirectoryFull, measureDisk } from '../stores/dataDirectory/diskSpace.ts';
import type { Repeated } from './scheduler.ts';

const pollIntervalMs = 2_000; // the service notices new free space within 15 s (CONTRACT.md, 4.5)

/** Skips disks of other machines. */
export async function openDiskWatch(
  { dataDir, blobs, logs }: Config,
  { log, repeated }: { log: Pick<Logger, 'info' | 'warn' | 'error'>; repeated: Repeated[] },
): Promise<DiskWatch> {
  await mkdir(dataDir, { recursive: true });
  const watch = watchDisks({
    directories: [
      { disk: 'data', directory: dataDir },
      ...(blobs.kind === 'disk' ? [{ disk: 'media', directory: blobs.directory } as const] : []),
      ...(logs.kind === 'embedded' ? [{ disk: 'logs', directory: logs.directory } as const] : []),
    ],
    measure: measureDisk,
    isFull: isDirectoryFull,
    notify: change => logChange(log, change),
  });
  await watch.look();
  repeated.push({ name: 'measure disks', intervalMs: pollIntervalMs, work: () => watch.look() });
  return watch;
}

const sentences: Readonly<Record<DiskLevel, string>> = {
  roomy: 'the disk has room again',
  low: 'less than 10 % of the disk is free',
  scarce: 'less than 5 % of the disk is free; uploads and log entries are refused when it is full',
  full: 'the disk is full: uploads and log entries are refused, signing in and deleting still work',
};

function logChange(
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { level, before, ...facts }: DiskChange,
): void {
  const write = level === 'roomy' ? 'info' : level === 'low' ? 'warn' : 'error';
  const isBetter = before === 'full' && level !== 'roomy';
  log[isBetter ? 'warn' : write](
    facts,
    isBetter ? `the disk takes data again; ${sentences[level]}` : sentences[level],
  );
}
