/** Log entries as people read them in a terminal: in colours, through a pager, as they arrive. */
export {
  type CommandGiven,
  logCommandOptions,
  logCommandUsage,
  type OpenedSource,
  type Question,
  runLogCommand,
} from './command.ts';
export type { EntryLook, TerminalEntry } from './entryText.ts';
export { pointAt } from './mistakes.ts';
export { type Output, openOutput } from './output.ts';
export type { Pager } from './pager.ts';
export type { Reading } from './reading.ts';
export { type Shown, showEntries } from './showing.ts';
export type { EntryOrder, EntrySource, Told } from './source.ts';
export { readMoment } from './times.ts';
