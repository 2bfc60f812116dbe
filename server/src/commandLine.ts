/** Finds the command for the given words and prints its output or its error. */
import {
  describeCommand,
  describeCommands,
  findCommand,
  findHelpTopic,
  findTopic,
  Misuse,
  readWords,
  suggestCommands,
} from '@tapedeck/command-line';
import { errorStatuses, ServiceError } from '@tapedeck/domain/vocabulary';
import { Failure } from '@tapedeck/values/failure';
import { SettingError } from '@tapedeck/values/settings';
import { commands } from './commands/index.ts';
import { completeEnvironment } from './commands/runningServices.ts';
import { type Environment, processEnvironment, readConfig } from './config.ts';
import { version } from './version.ts';

type Output = { print(text: string): void; complain(text: string): void };

const program = 'tapedeck';

/** Resolves to the exit code. */
export async function runCommandLine(
  args: readonly string[],
  output: Output,
  environment: Environment = processEnvironment,
): Promise<number> {
  const words = args.filter(arg => arg !== '--json'); // at any position
  const isJson = words.length < args.length;
  const print = (text: string) => {
    output.print(`${text}\n`);
    return 0;
  };
  if (words[0] === '--version' || words[0] === '-v') return print(version);
  try {
    const topic = findHelpTopic(words);
    if (topic !== null) return print(describeTopic(topic));
    const command = findCommand(commands, words);
    if (command === undefined) throw new Misuse(describeUnknown(words));
    const own = { ...readWords(program, command, words), isJson, environment, ownEnvironment: environment };
    const given = { ...own, environment: await completeEnvironment(command, own) };
    const answer = await command.run(readConfig(given.environment), given);
    if (typeof answer === 'number') return answer;
    print(isJson ? JSON.stringify(answer.json, null, answer.isOneLine ? 0 : 2) : answer.text);
    return answer.failed ? 1 : 0;
  } catch (error) {
    output.complain(`${describeFailure(error)}\n`);
    return isMisuse(error) ? 2 : 1;
  }
}

function describeTopic(topic: readonly string[]): string {
  const found = findTopic(commands, topic);
  if (found === null) throw new Misuse(describeUnknown(topic));
  const [command, ...others] = found;
  if (command !== undefined && others.length === 0) return describeCommand(program, command);
  return [
    `Usage:\n${describeCommands(program, found)}`,
    `\`${program} COMMAND --help\` shows the options of a command. Each command takes --json.`,
    `Settings come from the environment; see \`${program} config\`.`,
  ].join('\n');
}

/** A 400 from the domain means that an argument was wrong. */
function isMisuse(error: unknown): boolean {
  return error instanceof Misuse || (error instanceof ServiceError && errorStatuses[error.code] === 400);
}

function describeUnknown(words: readonly string[]): string {
  const near = suggestCommands(commands, words).map(name => `\`${program} ${name}\``);
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `\`${program} help\` lists them.`;
  return `There is no command "${words.slice(0, 2).join(' ')}". ${meant}`;
}

/** Returns one sentence for an expected failure, and the stack for a bug. */
function describeFailure(error: unknown): string {
  if (error instanceof Failure || error instanceof SettingError || error instanceof Misuse)
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
