/** The command that shows log entries: its options and their meaning. */
import { type GivenWords, Misuse } from '@tapedeck/command-line';
import { showEntries } from './entryPrinter.ts';
import { type Reading, readingMax } from './entryReader.ts';
import { openOutput } from './output.ts';
import { isThere } from './pager.ts';
import type { EntrySource } from './source.ts';
import { readMoment } from './times.ts';

const followedEntriesDefault = 10; // the last entries, like `tail -f` and similar programs
const terminalEntriesDefault = 1_000; // several screens
const stopSignals = ['SIGINT', 'SIGTERM'] as const;

export const logCommandOptions = {
  since: {
    type: 'string',
    about: 'from then on: a span such as 90s, 30m, 1h30m, 2d or 1w, a day, or a time',
  },
  until: { type: 'string', about: 'up to then, written the same way' },
  limit: { type: 'string', short: 'n', about: 'number of entries up to 100,000, or all' },
  order: { type: 'string', values: ['asc', 'desc'], about: 'oldest first or newest first' },
  follow: { type: 'boolean', short: 'f', about: 'keep showing new entries until Ctrl-C' },
  dataset: { type: 'string', about: 'dataset to search, or * for all' },
  utc: { type: 'boolean', about: 'show times in UTC' },
  color: { type: 'string', values: ['always', 'auto', 'never'], about: 'when to use colours' },
  'no-pager': { type: 'boolean', about: 'print directly' },
} as const;

export const logCommandUsage =
  '[QUERY] [--since 1h|2d|TIME] [--until …] [-n|--limit N|all] [--order asc|desc] [-f|--follow] [--dataset D|*] [--utc] ' +
  '[--color always|never] [--no-pager]';

type CommandGiven = GivenWords & {
  isJson: boolean;
  environment: Readonly<Record<string, string | undefined>>;
};

export type Question = {
  query: string;
  /** RFC 3339. */
  from: string | undefined;
  to: string | undefined;
  dataset: string | undefined;
  /** Aborts when the output is closed or the user stops the command. */
  signal: AbortSignal;
};

/** `describeFailure` turns an error of the source into the error to throw. */
export type OpenedSource = EntrySource & AsyncDisposable & { describeFailure(error: unknown): unknown };

/** Resolves to the exit code once everything is shown. */
export async function runLogCommand(
  given: CommandGiven,
  openSource: (question: Question) => Promise<OpenedSource>,
): Promise<number> {
  const isTerminal = Boolean(process.stdout.isTTY) && !given.isJson;
  const pager = isTerminal && !given.flag('no-pager') && !given.flag('follow') ? choosePager(given) : null;
  const reading = readReading(given, isTerminal, pager !== null);
  const [query, dataset] = [given.positionals.join(' '), given.text('dataset')];
  const range = { from: readTime(given, 'since'), to: readTime(given, 'until') };
  const hasColours = choosesColours(given, isTerminal);
  const look = { hasColours, isUtc: given.flag('utc'), showsDataset: dataset === '*' };
  using stop = listenForStop();
  await using output = openOutput(pager, given.environment.TERM !== 'dumb');
  const signal = AbortSignal.any([stop.signal, output.closed]);
  await using source = await openSource({ query, dataset, ...range, signal });
  try {
    const end = reading.order === 'asc' ? 'oldest' : 'newest';
    const limits = `The ${end} ${reading.limit} are shown, and there are more: see --limit and --since.`;
    const moreNote = given.text('limit') === undefined && !reading.isFollowing ? limits : null;
    const count = await showEntries(source, { reading, look: given.isJson ? null : look, output, moreNote });
    if (count === 0 && isTerminal && !signal.aborted) output.printNote('No entry matches.');
  } catch (error) {
    if (!signal.aborted) throw source.describeFailure(error);
  }
  return stop.exitCode();
}

/** Reads the newest entries for a terminal, and all entries for a pipe. */
function readReading(given: CommandGiven, isTerminal: boolean, isSlow: boolean): Reading {
  const isFollowing = given.flag('follow');
  const asked = given.text('order');
  const order = asked === 'asc' || asked === 'desc' ? asked : 'log';
  if (isFollowing && (order === 'desc' || given.text('until') !== undefined))
    throw new Misuse('--follow appends new entries: leave out --until and --order desc.');
  const limit = given.text('limit');
  const followed = given.text('since') === undefined ? followedEntriesDefault : readingMax;
  const usual = isFollowing ? followed : isTerminal ? terminalEntriesDefault : null;
  return { order, limit: limit === undefined ? usual : readLimit(limit), isFollowing, isSlow };
}

function readLimit(text: string): number | null {
  if (text === 'all') return null;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (limit <= readingMax) return limit;
  throw new Misuse(`--limit must be a whole number up to ${readingMax}, or all.`);
}

function readTime(given: CommandGiven, name: string): string | undefined {
  const text = given.text(name);
  if (text === undefined) return undefined;
  const moment = readMoment(text, { now: Date.now(), isUtc: given.flag('utc') });
  if (moment !== null) return moment;
  throw new Misuse(`--${name} must be a span such as 30m, 1h or 2d, or a time such as 2026-01-02T03:04:05Z.`);
}

function choosesColours(given: CommandGiven, isTerminal: boolean): boolean {
  const { NO_COLOR, TERM } = given.environment;
  const color = given.text('color') ?? 'auto';
  return color === 'auto' ? isTerminal && !NO_COLOR && TERM !== 'dumb' : color === 'always';
}

/** Returns null if there is none or none is wanted. The default pager starts at the end, at the newest entries. */
function choosePager({ environment, text }: CommandGiven) {
  const usual = text('order') === undefined ? 'less -R +G' : 'less -R';
  const command = environment.PAGER ?? usual;
  return command.trim() === '' || command === 'cat' || !isThere(command) ? null : { command, environment };
}

/** The first signal stops cleanly; a second one stops at once. */
function listenForStop() {
  const stop = new AbortController();
  let exitCode = 0;
  const stopOnce = (_name: string, number: number) => {
    if (stop.signal.aborted) process.exit(exitCode);
    exitCode = 128 + number;
    stop.abort();
  };
  for (const name of stopSignals) process.on(name, stopOnce);
  return {
    signal: stop.signal,
    exitCode: () => exitCode,
    [Symbol.dispose]: () => {
      for (const name of stopSignals) process.off(name, stopOnce);
    },
  };
}
