/**
 * `npm run scaling` writes the figures and charts of docs/scaling.md, from the unit costs and the modelled outages. With --check, only tells whether
 * they are fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type EntryNeeds, type FileNeeds, fileBytesMean, reckonEntries, reckonFiles } from './arithmetic.ts';
import { drawStories } from './charts.ts';
import { entryCosts, fileCosts, segmentCosts } from './costs.ts';
import { formatBytes, formatCount, formatDigits, formatSeconds, formatShare } from './formatting.ts';
import { describeOutages, type Story } from './outages.ts';

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

/** Returns the document with every table computed from the current costs. */
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
    picture: drawStories(drawn, 'Waiting and refused entries during an outage'),
  };
}

function tabulateCosts(): Table {
  const each: [string, string][] = [
    ['a log entry, service', `${formatDigits(entryCosts.serviceMicros)} µs of a core`],
    ['a log entry, ClickHouse including merges', `${formatDigits(entryCosts.engineMicros)} µs of a core`],
    ['a log entry, sent', formatBytes(entryCosts.sentBytes)],
    ['a log entry, waiting in the bucket', formatBytes(entryCosts.segmentBytes)],
    [
      'a log entry, stored in ClickHouse',
      `${formatBytes(entryCosts.restBytes)}, and as much again for merges`,
    ],
    [
      'writing a segment to the bucket',
      `${formatDigits(segmentCosts.putMs.median)} ms median, ${formatDigits(segmentCosts.putMs.p99)} ms p99`,
    ],
    [
      'registering a segment in PostgreSQL',
      `${formatDigits(segmentCosts.rowMs.median)} ms median, ${formatDigits(segmentCosts.rowMs.p99)} ms p99`,
    ],
    [
      'a segment',
      `${segmentCosts.requestsEach} bucket requests, ${segmentCosts.rowWritesEach} PostgreSQL row writes`,
    ],
    ['an upload of 100 kB', `${formatDigits(fileCosts.uploadMicros)} µs of a core`],
    ['a file read from memory', `${formatDigits(fileCosts.readMicros)} µs of a core`],
    ['a file in PostgreSQL, with its indexes', formatBytes(fileCosts.rowBytes)],
  ];
  return { head: ['Item', 'Cost'], rows: each };
}

function tabulateEntries(needs: readonly EntryNeeds[]): Table {
  const row = (name: string, read: (need: EntryNeeds) => string) => [name, ...needs.map(read)];
  return {
    head: ['Entries a second', ...needs.map(({ entriesPerSecond }) => formatCount(entriesPerSecond))],
    rows: [
      row('incoming data', need => `${formatBytes(need.sentBytesPerSecond)}/s`),
      row('busy cores, service', need => formatDigits(need.serviceCores)),
      row('nodes at half load', need => `${formatCount(need.nodes)} of ${need.nodeCores} cores`),
      row('busy cores, ClickHouse', need => formatDigits(need.engineCores)),
      row('shards at half load', need => `${formatCount(need.shards)} of ${need.shardCores} cores`),
      row('maximum of a shard', need => `${formatCount(need.laneRate)} entries/s`),
      row('stored data a day', need => formatBytes(need.diskBytesPerDay)),
      row('disk of a shard for 30 days', need => formatBytes(need.shardDiskBytes)),
      row('objects written to the bucket a second', need => formatCount(need.putsPerSecond)),
      row('bucket requests a day', need => formatCount(need.requestsPerDay)),
      row('PostgreSQL row writes a second', need => formatCount(need.rowWritesPerSecond)),
      row('registered segments at a time', need => formatCount(need.registryRows)),
      row('PostgreSQL connections, at most', need => formatCount(need.databaseConnections)),
    ],
  };
}

function tabulateFiles(needs: readonly FileNeeds[]): Table {
  const row = (name: string, read: (need: FileNeeds) => string) => [name, ...needs.map(read)];
  return {
    head: ['Files', ...needs.map(({ bytes }) => formatBytes(bytes))],
    rows: [
      row(`files of ${formatBytes(fileBytesMean)}`, need => formatCount(need.files)),
      row('PostgreSQL, rows and indexes', need => formatBytes(need.rowBytes)),
      row('pages listed by the daily cleanup', need => formatCount(need.listPages)),
      row('hours to list them, page by page', need => formatDigits(need.listHours)),
      row('days for one core to receive them all', need => formatDigits(need.uploadCoreDays)),
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
      'Entries/s',
      'Unavailable',
      'Refused',
      'Waiting entries, at most',
      'Segments',
      'Oldest',
      'Recovered after',
      'Response ms p50, p99',
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
  const fresh = renew(now, describeOutages());
  if (!process.argv.includes('--check')) {
    await writeFile(files.text, fresh.text);
    await writeFile(files.picture, fresh.picture);
  } else if (fresh.text !== now.text || fresh.picture !== now.picture) {
    console.error('docs/scaling.md is not what the costs say; run `npm run scaling`.');
    process.exitCode = 1;
  }
}
