/** Writes ZIP archives as streams, and reads their entries. */
export { writeZip, type ZipEntry } from './archive.ts';
export { listStoredEntries, type StoredEntry, ZipMistake, type ZipSource } from './archiveReader.ts';
export { openArchiveNames } from './names.ts';
