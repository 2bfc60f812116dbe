/**
 * `npm run scaling` writes the figures and pictures of docs/scaling.md: from the costs of one, and from the outages of the model. With
 * --check it only says whether they are fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type EntryNeeds, type FileNeeds, fileBytesMean, reckonEntries, reckonFiles } from './arithmetic.ts';
import { drawStories } from './charts.ts';
import { entryCosts, fileCosts, segmentCosts } from './costs.ts';
import { formatBytes, formatCount, formatDigits, formatSeconds, formatShare } from './figures.ts';
import { type Story, tellAll } from './outages.ts';

const folder = path.join(import.meta.dirname, '../../docs');
const files = { text: path.join(folder, 'scaling.md'), picture: path.join(folder, 'scaling-outages.svg') };
const drawnSize = 100_000;
const entrySizes = [1_000, 100_000, 10_000_000] as const;
const fileSizes = [1e12, 1e14, 1e16] as const;

type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

type Written = { text: string; picture: string };

export async function readDocument(): Promise<Written> {
  return {
    text: await readFile(files.text, 'utf8'),
    picture: await readFile(files.picture, 'utf8').catch(() => ''),
  };
}

/** The document with every table as the costs have it today. */
export function renew({ text }: Pick<Written, 'text'>, stories: readonly Story[]): Written {
  const tables: Record<string, Table> = {
    costs: tabulateCosts(),
    entries: tabulateEntries(entrySizes.map(size => reckonEntries(size))),
    files: tabulateFiles(fileSizes.map(size => reckonFiles(size))),
    outages: tabulateStories(stories),
  };
  let renewed = text;
  for (const [name, table] of Object.entries(tables)) {
    const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(\n<!-- / -->)`);
    if (!place.test(renewed)) throw new Error(`docs/scaling.md has no place for the table "${name}".`);
    renewed = renewed.replace(
      place,
      (_, before: string, after: string) => `${before}${print(table)}${after}`,
    );
  }
  const drawn = stories.filter(({ entriesPerSecond }) => entriesPerSecond === drawnSize);
  return {
    text: renewed,
    picture: drawStories(drawn, 'What waits and what is refused while something is away'),
  };
}

function tabulateCosts(): Table {
  const each: [string, string][] = [
    ['a log entry, service', `${formatDigits(entryCosts.serviceMicros)} µs of a core`],
    ['a log entry, ClickHouse with its merges', `${formatDigits(entryCosts.engineMicros)} µs of a core`],
    ['a log entry, sent', formatBytes(entryCosts.sentBytes)],
    ['a log entry, in the bucket for some seconds', formatBytes(entryCosts.segmentBytes)],
    [
      'a log entry, at rest in ClickHouse',
      `${formatBytes(entryCosts.restBytes)}, and as much again for merges`,
    ],
    [
      'a segment put',
      `${formatDigits(segmentCosts.putMs.median)} ms in the median, ${formatDigits(segmentCosts.putMs.p99)} in the slowest of a hundred`,
    ],
    [
      'a segment registered',
      `${formatDigits(segmentCosts.rowMs.median)} ms, ${formatDigits(segmentCosts.rowMs.p99)}`,
    ],
    [
      'a segment',
      `${segmentCosts.requestsEach} requests to the bucket, ${segmentCosts.rowWritesEach} rows written in PostgreSQL`,
    ],
    ['an upload of 100 KB', `${formatDigits(fileCosts.uploadMicros)} µs of a core`],
    ['a file read from memory', `${formatDigits(fileCosts.readMicros)} µs of a core`],
    ['a file in PostgreSQL, with its indexes', formatBytes(fileCosts.rowBytes)],
  ];
  return { head: ['what', 'costs'], rows: each };
}

function tabulateEntries(needs: readonly EntryNeeds[]): Table {
  const row = (name: string, read: (need: EntryNeeds) => string) => [name, ...needs.map(read)];
  return {
    head: ['entries a second', ...needs.map(({ entriesPerSecond }) => formatCount(entriesPerSecond))],
    rows: [
      row('comes in', need => `${formatBytes(need.sentBytesPerSecond)}/s`),
      row('cores that the service keeps busy', need => formatDigits(need.serviceCores)),
      row('nodes, half busy', need => `${formatCount(need.nodes)} of ${need.nodeCores} cores`),
      row('cores that ClickHouse keeps busy', need => formatDigits(need.engineCores)),
      row('shards, half busy', need => `${formatCount(need.shards)} of ${need.shardCores} cores`),
      row('a shard takes at most', need => `${formatCount(need.laneRate)} entries/s`),
      row('disk a day, at rest', need => formatBytes(need.diskBytesPerDay)),
      row('disk of a shard for 30 days', need => formatBytes(need.shardDiskBytes)),
      row('objects put a second', need => formatCount(need.putsPerSecond)),
      row('requests to the bucket a day', need => formatCount(need.requestsPerDay)),
      row('rows written in PostgreSQL a second', need => formatCount(need.rowWritesPerSecond)),
      row('rows of the registry at a time', need => formatCount(need.registryRows)),
      row('connections to PostgreSQL, at most', need => formatCount(need.databaseConnections)),
    ],
  };
}

function tabulateFiles(needs: readonly FileNeeds[]): Table {
  const row = (name: string, read: (need: FileNeeds) => string) => [name, ...needs.map(read)];
  return {
    head: ['files', ...needs.map(({ bytes }) => formatBytes(bytes))],
    rows: [
      row(`files of ${formatBytes(fileBytesMean)}`, need => formatCount(need.files)),
      row('PostgreSQL, rows and indexes', need => formatBytes(need.rowBytes)),
      row('pages that the daily sweep lists', need => formatCount(need.listPages)),
      row('hours that it lists, one page after another', need => formatDigits(need.listHours)),
      row('days of one core to take them all in', need => formatDigits(need.uploadCoreDays)),
    ],
  };
}

function tabulateStories(stories: readonly Story[]): Table {
  const rows = stories.map(story => [
    formatCount(story.entriesPerSecond),
    story.scenario,
    formatShare(story.refusedShare),
    formatCount(story.waitingMax),
    formatCount(story.segmentsMax),
    formatSeconds(story.oldestMsMax),
    story.recoveredMs === null ? 'never late' : formatSeconds(story.recoveredMs),
    `${formatDigits(story.outcome.answeredMs.p50)}, ${formatDigits(story.outcome.answeredMs.p99)}`,
  ]);
  return {
    head: [
      'entries/s',
      'away',
      'refused',
      'entries wait, at most',
      'in segments',
      'oldest',
      'all as before after',
      'answered ms p50, p99',
    ],
    rows,
  };
}

function print({ head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

if (import.meta.main) {
  const now = await readDocument();
  const fresh = renew(now, tellAll());
  if (!process.argv.includes('--check')) {
    await writeFile(files.text, fresh.text);
    await writeFile(files.picture, fresh.picture);
  } else if (fresh.text !== now.text || fresh.picture !== now.picture) {
    console.error('docs/scaling.md is not what the costs say; run `npm run scaling`.');
    process.exitCode = 1;
  }
}
