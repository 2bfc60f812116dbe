/** Files and directories that survive a power cut and record their owner. */
export { isUnchanged, writeChecked, writeChecksum } from './checksums.ts';
export { makeDirectory, makeOneDirectory } from './directories.ts';
export { DirectoryTaken, isHeld, lockDirectory, lockName } from './directoryLock.ts';
export {
  type DirectorySync,
  openDirectorySync,
  readAll,
  syncDirectory,
  writeAll,
  writeSyncedFile,
} from './durableWrites.ts';
export { hasCode, isDiskFull } from './failures.ts';
export { readMarkFile, writeMarkFile } from './markFile.ts';
export { ampleFreeBytes, fillReserve, spaceLookMs } from './reserve.ts';
