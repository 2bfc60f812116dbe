/**
 * The bytes that datasets take on disk. A part holds entries of several datasets, of all projects: its bytes are divided by what
 * their entries come to when some of them are packed anew. A part never changes, so that its division is remembered.
 */
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts, countedMinute, isCounted, localTable } from '../schema/schema.ts';
import { Binder } from './binder.ts';
import { partsBoundMax } from './parts.ts';
import { type Asking, askRows, type Runner } from './running.ts';

const largeEntries = 100_000; // from there on, finding a dataset by the key costs less than reading the part
const largeEntriesEach = 20_000; // unless there are too many datasets to be found
const sampledEntries = 1_024; // of a dataset in a part: some 100 KB, about a block as the engine packs them
const samplesPerQuestion = 16; // each reads a part of its own at the same time, with some megabytes
const sharesMax = 100_000; // some 20 MB, remembered of each server
const attemptsMax = 3; // parts are merged now and then, seldom the same ones at once

type DatasetPlace = { project: string; dataset: string };
type Share = DatasetPlace & { bytes: number };
type SizedPart = { name: string; key: string; entries: number; bytes: number; columnBytes: number };
/** How many entries of a dataset lie in a part. */
type Portion = DatasetPlace & { part: string; entries: number };
/** What an entry of a portion takes in the columns and in the indexes; only their proportions matter. */
type Density = { column: number; index: number };
type Sampled = readonly [part: string, project: string, dataset: string, column: number, index: number];

export class DatasetBytes {
  readonly #runner: Runner;
  /** By server, then by the key of the part. */
  readonly #known = new Map<EngineAccess, Map<string, readonly Share[]>>();
  /** By server: what is divided for somebody now is not divided for others who ask meanwhile. */
  readonly #dividing = new Map<EngineAccess, Promise<unknown>>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  /** By dataset of the project, on one server. */
  async measure(shard: EngineAccess, project: string, signal: AbortSignal): Promise<Map<string, number>> {
    const runner = { ...this.#runner, access: shard, holder: project };
    const known = this.#known.get(shard) ?? new Map<string, readonly Share[]>();
    this.#known.set(shard, known);
    let parts = await listSizedParts(runner, signal);
    const read = new Map<string, readonly Share[]>();
    const listUnread = () => parts.filter(({ key }) => !known.has(key) && !read.has(key));
    for (let attempt = 0; attempt < attemptsMax && listUnread().length > 0; attempt++) {
      await this.#dividing.get(shard)?.catch(() => {}); // whoever asked for it may have gone
      signal.throwIfAborted();
      for (const [key, shares] of await this.#divide(runner, listUnread(), signal)) read.set(key, shares);
      parts = await listSizedParts(runner, signal); // one that was merged meanwhile had no entries to be read
    }
    const found = parts.map(({ key }) => [key, known.get(key) ?? read.get(key) ?? []] as const);
    remember(known, found);
    return addUp(found, project);
  }

  async #divide(
    runner: Runner,
    unread: readonly SizedPart[],
    signal: AbortSignal,
  ): Promise<Map<string, readonly Share[]>> {
    if (unread.length === 0) return new Map();
    const { access } = runner;
    const dividing = divideParts(runner, { weight: 'heavy', signal }, unread).then(divided => {
      for (const [key, shares] of divided) this.#known.get(access)?.set(key, shares);
      return divided;
    });
    this.#dividing.set(access, dividing);
    try {
      return await dividing;
    } finally {
      if (this.#dividing.get(access) === dividing) this.#dividing.delete(access);
    }
  }
}

function remember(
  known: Map<string, readonly Share[]>,
  found: readonly (readonly [string, readonly Share[]])[],
): void {
  known.clear(); // of parts that are gone, too
  let count = 0;
  for (const [key, shares] of found) {
    count += shares.length + 1;
    if (count > sharesMax) break;
    known.set(key, shares);
  }
}

function addUp(
  found: readonly (readonly [string, readonly Share[]])[],
  project: string,
): Map<string, number> {
  const total = new Map<string, number>();
  for (const [, shares] of found)
    for (const share of shares)
      if (share.project === project) total.set(share.dataset, (total.get(share.dataset) ?? 0) + share.bytes);
  return total;
}

async function listSizedParts(runner: Runner, signal: AbortSignal): Promise<SizedPart[]> {
  const sql = `SELECT name, hash_of_all_files, rows, bytes_on_disk, data_compressed_bytes FROM ${activeParts} AND rows > 0`;
  const rows = await askRows(runner, { weight: 'light', signal }, { sql });
  // As selected.
  return (rows as [string, string, number, number, number][]).map(row => {
    const [name, hash, entries, bytes, columnBytes] = row;
    return { name, key: `${name} ${hash}`, entries, bytes, columnBytes };
  });
}

/** By the keys of the parts. */
async function divideParts(
  runner: Runner,
  asking: Asking,
  parts: readonly SizedPart[],
): Promise<Map<string, readonly Share[]>> {
  const portions = new Map<string, Portion[]>();
  for (const names of cut(parts, partsBoundMax).map(some => some.map(({ name }) => name)))
    for (const portion of await countPortions(runner, asking, names)) {
      const others = portions.get(portion.part);
      if (others === undefined) portions.set(portion.part, [portion]);
      else others.push(portion);
    }
  const shared = parts.filter(({ name }) => (portions.get(name)?.length ?? 0) > 1);
  const densities = new Map<string, Density>();
  for (const sampled of await samplePortions(runner, asking, { parts: shared, portions })) {
    const [part, project, dataset, column, index] = sampled;
    densities.set(namePortion({ part, project, dataset }), { column, index });
  }
  return new Map(parts.map(part => [part.key, dividePart(part, portions.get(part.name) ?? [], densities)]));
}

function namePortion({ part, project, dataset }: Omit<Portion, 'entries'>): string {
  return JSON.stringify([part, project, dataset]);
}

async function countPortions(runner: Runner, asking: Asking, names: readonly string[]): Promise<Portion[]> {
  const binder = new Binder();
  const sql = `SELECT _part, project, dataset, count() FROM ${localTable}
    WHERE _part IN ${binder.bindWords(names)} GROUP BY _part, project, dataset`;
  const rows = await askRows(runner, asking, { sql, parameters: binder.parameters });
  // As selected.
  return (rows as [string, string, string, number][]).map(row => {
    const [part, project, dataset, entries] = row;
    return { part, project, dataset, entries };
  });
}

async function samplePortions(
  runner: Runner,
  asking: Asking,
  { parts, portions }: { parts: readonly SizedPart[]; portions: ReadonlyMap<string, readonly Portion[]> },
): Promise<Sampled[]> {
  const sampled: Sampled[] = [];
  const ask = async (binder: Binder, conditions: readonly string[]) => {
    const sql = formatSamples(conditions);
    const settings = { max_block_size: sampledEntries }; // no more is read than is sampled
    for (const row of await askRows(runner, asking, { sql, parameters: binder.parameters, settings }))
      sampled.push(row as unknown as Sampled); // as `formatSamples` selects
  };
  const isLarge = ({ name, entries }: SizedPart) =>
    entries >= Math.max(largeEntries, largeEntriesEach * (portions.get(name)?.length ?? 0));
  const small = parts.filter(part => !isLarge(part)).map(({ name }) => name);
  for (const names of cut(small, partsBoundMax)) {
    const binder = new Binder();
    const limit = `LIMIT ${sampledEntries} BY _part, project, dataset`;
    await ask(binder, [`_part IN ${binder.bindWords(names)} ${limit}`]);
  }
  const large = parts.filter(isLarge);
  const single = large.flatMap(({ name }) => portions.get(name) ?? []);
  for (const some of cut(single, samplesPerQuestion)) {
    const binder = new Binder();
    const conditions = some.map(
      ({ part, project, dataset }) =>
        `_part = ${binder.bind('String', part)} AND project = ${binder.bind('String', project)}
          AND dataset = ${binder.bind('String', dataset)} LIMIT ${sampledEntries}`,
    );
    await ask(binder, conditions);
  }
  return sampled;
}

/** How long a text or a number is once it is packed as the column of the table is. */
const packText = (text: string) => `sum(length(${text}) + 1) / estimateCompressionRatio('ZSTD(3)')(${text})`;
const packNumbers = (column: string, codec = 'Delta(8), ZSTD(1)') =>
  `count() * 8 / estimateCompressionRatio('${codec}')(${column})`;

/** So many bytes have the filters of `schema.ts` for each entry of theirs. A small portion may fill one alone. */
const filterBytes = (grams: string, { each, whole }: { each: number; whole: number }) =>
  `least(1.3 * length(groupUniqArrayArray(${grams})), if(count() < ${sampledEntries}, ${whole}., ${each}. * count()))`;

/**
 * What the indexes and counts take: each word that is new with its place in the dictionary, each word in the list of its entries, each value
 * that is new and each that is counted, each gram that is new until the filters are full, and each count. In bytes; the numbers were
 * measured, see DECISIONS.md.
 */
const indexed = `arraySum(word -> length(word) + 3, groupUniqArrayArray(words)) + 0.16 * sum(length(words))
  + 2 * length(groupUniqArrayArray(values)) + 3 * sum(length(counted)) + 0.3 * count()
  + ${filterBytes('gramsOfTokens', { each: 3, whole: 24_576 })} + ${filterBytes('gramsOfCodes', { each: 7, whole: 49_152 })}
  + 20 * uniqExact(pattern, level, ${countedMinute})`;

/** Words and grams as the indexes of `schema.ts` know them. */
function formatSamples(conditions: readonly string[]): string {
  const samples = conditions.map(
    condition => `(SELECT _part, project, dataset, body, pattern, level, metadata, parentId, timestamp, identity,
        bodyWords, restWords, tokens, codes
      FROM ${localTable} WHERE ${condition})`,
  );
  return `SELECT _part, project, dataset,
      (${packText('body')} + ${packText('given')} + ${packText('paths')} + ${packText('parentId')}
        + ${packNumbers('timestamp')} + ${packNumbers('identity')} + ${packNumbers('pattern', 'ZSTD(1)')}) / count(),
      (${indexed}) / count()
    FROM (
      SELECT *, arrayConcat(splitByNonAlpha(bodyWords), splitByNonAlpha(restWords)) AS words,
        ngrams(tokens, 4) AS gramsOfTokens, ngrams(codes, 6) AS gramsOfCodes,
        mapValues(metadata) AS values, arrayFilter(value -> ${isCounted('value')}, values) AS counted,
        arrayStringConcat(values) AS given, arrayStringConcat(mapKeys(metadata)) AS paths
      FROM (${samples.join(' UNION ALL ')}))
    GROUP BY _part, project, dataset`;
}

/** Alone in its part, where any density leads to the whole; or deleted since it was counted. */
const unsampled: Density = { column: 1, index: 1 };

function dividePart(
  part: SizedPart,
  portions: readonly Portion[],
  densities: ReadonlyMap<string, Density>,
): Share[] {
  const weights = portions.map(portion => {
    const { column, index } = densities.get(namePortion(portion)) ?? unsampled;
    return { column: portion.entries * column, index: portion.entries * index };
  });
  const all = { column: 0, index: 0 };
  for (const { column, index } of weights) {
    all.column += column;
    all.index += index;
  }
  const indexBytes = part.bytes - part.columnBytes;
  return portions.map(({ project, dataset }, at) => {
    const { column, index } = weights[at]!;
    return {
      project,
      dataset,
      bytes: (part.columnBytes * column) / all.column + (indexBytes * index) / all.index,
    };
  });
}

function cut<T>(all: readonly T[], count: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / count) }, (_, at) =>
    all.slice(at * count, (at + 1) * count),
  );
}
