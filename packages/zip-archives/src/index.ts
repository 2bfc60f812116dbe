/** The package's interface. */
export { writeZip, type ZipEntry } from './archive.ts';
export { type ArchiveNames, openArchiveNames } from './names.ts';
export { listStoredEntries, type StoredEntry, ZipMistake, type ZipSource } from './reading.ts';
