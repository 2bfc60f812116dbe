/** Shows log entries in a terminal: in colour, through a pager, as they arrive. */
export {
  logCommandOptions,
  logCommandUsage,
  type OpenedSource,
  type Question,
  runLogCommand,
} from './command.ts';
export { showEntries } from './entryPrinter.ts';
export { pointAt } from './mistakes.ts';
export { openOutput } from './output.ts';
export { readMoment } from './times.ts';
