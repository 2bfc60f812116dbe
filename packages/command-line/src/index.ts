/** Parses commands of several words and their options, and provides help, shell completion, tables, and progress. */

export { type CommandWords, findCommand, type GivenWords, Misuse, readWords } from './commandMatching.ts';
export { completedShells, writeCompletion } from './completion.ts';
export { describeCommand, describeCommands, findHelpTopic, findTopic, listGroups } from './help.ts';
export {
  formatBytes,
  formatNumber,
  formatSeconds,
  openProgress,
  type ReportProgress,
  type Say,
} from './progress.ts';
export { suggestCommands } from './suggestions.ts';
export { printTable } from './tables.ts';
