/**
 * Spreads the directories of parts on ext4. By default they lie next to each other, and the file system finds a place for each new file by
 * passing over all recently deleted ones nearby. Merges of small parts delete thousands: an insert of 400 entries took 40 ms of processor
 * time, and takes 16 with spread directories. Nothing else depends on it.
 */
import { closeSync, globSync, openSync } from 'node:fs';
import path from 'node:path';
import { close, DataType, load, open } from 'ffi-rs';
import { isOnExt4 } from './fileSystem.ts';

const systemLibrary = 'spreading';

// These values are the same on x64 and arm64.
const readFlags = 0x80086601;
const writeFlags = 0x40086602;
/** Directories with this flag are placed as if unrelated to each other. `chattr +T` sets it. */
const isTop = 0x20000;

/** Spreads the parts of all tables in the engine's data directory. Does nothing unless that is on ext4. */
export function spreadParts(dataDirectory: string): void {
  if (!isOnExt4(dataDirectory)) return;
  const tables = globSync(path.join(dataDirectory, 'store/*/*'));
  if (tables.length === 0) return;
  open({ library: systemLibrary, path: 'libc.so.6' });
  for (const table of tables) addFlag(table);
  close(systemLibrary);
}

/** If the system refuses, only the speed of inserts changes. */
function addFlag(directory: string): void {
  const descriptor = openSync(directory, 'r');
  const flags = Buffer.alloc(8);
  const control = (request: number): boolean =>
    load({
      library: systemLibrary,
      funcName: 'ioctl',
      retType: DataType.I32,
      paramsType: [DataType.I32, DataType.U64, DataType.U8Array],
      paramsValue: [descriptor, request, flags],
    }) === 0;
  try {
    if (!control(readFlags)) return;
    flags.writeUInt32LE(flags.readUInt32LE() | isTop);
    control(writeFlags);
  } finally {
    closeSync(descriptor);
  }
}
