/** `tapedeck import …`: imports files and log entries from another service, or from files and folders. */
import { Misuse } from '@tapedeck/command-line';
import { defaultProject } from '@tapedeck/domain/vocabulary';
import type { Destination } from '@tapedeck/importing/destination';
import type { ImportCounts } from '@tapedeck/importing/report';
import type { ImportState } from '@tapedeck/importing/state';
import { readMoment } from '@tapedeck/log-terminal';
import type { Config } from '../config.ts';
import type { Command, CommandArguments } from './command.ts';

const lineFormats = ['lines', 'csv'] as const;

const sourceOptions = {
  from: { type: 'string', about: 'address of the service that you leave' },
  token: {
    type: 'string',
    about: 'its API token; visible to other users of the machine, so prefer TAPEDECK_TOKEN',
  },
  project: { type: 'string', about: 'slug or name of the project that gets everything' },
  since: { type: 'string', about: 'only data from then on: a span such as 30d, a day, or a time' },
  state: {
    type: 'string',
    about: 'folder for the state of the import, if not the data directory; give the same one to resume',
  },
} as const;

export const importFiles: Command = {
  name: 'import files',
  usage: '--from URL --token T [--project P] [--since T] [--redirects DIR] [--state DIR] | FOLDER [--path P]',
  about: 'Import the files of another service or of a folder. An interrupted run resumes where it stopped.',
  options: {
    ...sourceOptions,
    redirects: {
      type: 'string',
      about: 'folder for maps from old addresses to new ones: JSON, nginx and Caddy',
    },
    path: { type: 'string', about: 'folder of the project for the files of a FOLDER' },
  },
  positionals: { min: 0, max: 1, arePaths: true },
  run: async (config, given) => {
    const [folder] = given.positionals;
    requireOneSource(given);
    if (folder === undefined) return await importRemoteFiles(config, given);
    refuse(given, ['since', 'redirects', 'token'], 'FOLDER');
    const below = given.text('path') ?? '';
    return await run(config, given, {
      kind: 'files',
      noun: 'files',
      names: ['folder', folder, below],
      work: async deps => {
        const { importFolder } = await import('@tapedeck/importing/folders');
        return await importFolder(deps, folder, { path: below });
      },
    });
  },
};

export const importLogs: Command = {
  name: 'import logs',
  usage:
    '--from URL --token T [--project P] [--since T] [--dataset D,…] [--state DIR] | FILE… [--dataset D] [--format lines|csv]',
  about:
    'Import the log entries of another service or of files (NDJSON, CSV, plain text). An interrupted run resumes where it stopped.',
  options: {
    ...sourceOptions,
    dataset: {
      type: 'string',
      multiple: true,
      about: 'from a service, only these datasets; from files, the dataset for the lines',
    },
    format: { type: 'string', values: lineFormats, about: 'format of files; by default, .csv is CSV' },
    'message-field': {
      type: 'string',
      about: 'fields of a line that may hold the message, separated by commas',
    },
    'level-field': { type: 'string', about: 'fields of a line that may hold the level' },
    'time-field': { type: 'string', about: 'fields of a line that may hold the time' },
    'resource-field': { type: 'string', about: 'fields of a line that may hold the resource' },
  },
  positionals: { min: 0, max: 10_000, arePaths: true },
  run: async (config, given) => {
    requireOneSource(given);
    return given.positionals.length === 0
      ? await importRemoteLogs(config, given)
      : await importLineFiles(config, given);
  },
};

const fieldOptions = ['message-field', 'level-field', 'time-field', 'resource-field'] as const;

async function importRemoteFiles(config: Config, given: CommandArguments) {
  refuse(given, ['path'], '--from');
  const since = readSince(given);
  const source = await openSource(config, given);
  const names = ['files', source.baseUrl, given.text('since') ?? ''];
  const redirects = given.text('redirects');
  return await run(config, given, {
    kind: 'files',
    noun: 'files',
    names,
    work: async deps => {
      const { importFiles: bring } = await import('@tapedeck/importing/files');
      const { counts, done } = await bring({ ...deps, source }, since);
      const { listRedirects, writeRedirects } = await import('@tapedeck/importing/redirects');
      if (redirects !== undefined) await writeRedirects(redirects, listRedirects(done));
      return counts;
    },
  });
}

async function importRemoteLogs(config: Config, given: CommandArguments) {
  refuse(given, ['format', ...fieldOptions], '--from');
  const since = readSince(given);
  const source = await openSource(config, given);
  const datasets = given.list('dataset');
  const names = ['logs', source.baseUrl, given.text('since') ?? '', ...datasets];
  return await run(config, given, {
    kind: 'logs',
    noun: 'log entries',
    names,
    work: async deps => {
      const { importEntries } = await import('@tapedeck/importing/entries');
      return await importEntries({ ...deps, source }, { datasets, since });
    },
  });
}

async function importLineFiles(config: Config, given: CommandArguments) {
  refuse(given, ['since', 'token'], 'FILE');
  const [dataset, ...others] = given.list('dataset');
  if (others.length > 0) throw new Misuse('Lines go to one dataset: give --dataset once.');
  const fields = fieldOptions.flatMap(option => {
    const value = given.text(option);
    return value === undefined ? [] : [[option.replace('-f', 'F'), value] as const];
  });
  const query = { ...Object.fromEntries(fields), ...(dataset !== undefined && { dataset }) };
  const format = given.text('format');
  const names = ['lines', JSON.stringify(query)];
  return await run(config, given, {
    kind: 'logs',
    noun: 'lines',
    names,
    work: async deps => {
      const { importLines } = await import('@tapedeck/importing/lines');
      const terms = { query, format: lineFormats.find(known => known === format) ?? null };
      return await importLines(deps, given.positionals, terms);
    },
  });
}

type Import = {
  kind: 'files' | 'logs';
  noun: string;
  names: readonly string[];
  work(deps: {
    destination: Destination;
    folder: ImportState;
    watch: import('@tapedeck/importing/report').ImportWatch;
  }): Promise<ImportCounts>;
};

/** Loads its modules here, so that other commands start without them. */
async function run(config: Config, given: CommandArguments, { kind, noun, names, work }: Import) {
  const { openDestination } = await import('./importDestination.ts');
  const { ImportState: State } = await import('@tapedeck/importing/state');
  const { describeCounts, openWatch } = await import('@tapedeck/importing/report');
  const project = given.text('project') ?? defaultProject;
  using folder = await State.open(config.dataDir, [...names, project], given.text('state'));
  const wanted = { kind: kind === 'files' ? 'media' : 'logs', project } as const;
  await using destination = await openDestination(config, folder, wanted);
  const counts = await work({ destination, folder, watch: openWatch() });
  await destination.finish();
  const json = { kind, ...counts };
  return { text: describeCounts(noun, counts), json, isOneLine: true, failed: counts.failed > 0 };
}

async function openSource(config: Config, given: CommandArguments) {
  const { Source } = await import('@tapedeck/importing/source');
  const token = given.text('token') ?? config.remote.token;
  if (token === null) throw new Misuse('Say who asks: --token T or TAPEDECK_TOKEN.');
  return new Source(given.text('from') ?? '', token);
}

function requireOneSource(given: CommandArguments): void {
  if ((given.text('from') === undefined) === (given.positionals.length === 0))
    throw new Misuse('Name either a service with --from URL, or files or a folder on this machine.');
}

function refuse(given: CommandArguments, options: readonly string[], source: string): void {
  const wrong = options.find(option => given.text(option) !== undefined);
  if (wrong !== undefined) throw new Misuse(`--${wrong} does not apply to ${source}; leave it out.`);
}

function readSince(given: CommandArguments): string | null {
  const text = given.text('since');
  if (text === undefined) return null;
  const moment = readMoment(text, { now: Date.now(), isUtc: true });
  if (moment !== null) return moment;
  throw new Misuse('--since must be a span such as 30d, or a time such as 2026-01-02T03:04:05Z.');
}
