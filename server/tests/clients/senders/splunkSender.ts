/** Sends through a function that takes a level and a message. */
import { loadSettings, readEntryLines } from './entryLines.ts';

const log = await loadSettings<(level: string, message: object) => void>();
for await (const { level, message, metadata } of readEntryLines()) log(level, { message, ...metadata });
