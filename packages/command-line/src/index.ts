/** Commands of several words, their options, their help, and tables as answers. */

export { proposeCommands } from './proposals.ts';
export { printTable } from './tables.ts';
export {
  type CommandWords,
  describeCommands,
  findCommand,
  type GivenWords,
  Misuse,
  readWords,
} from './words.ts';
