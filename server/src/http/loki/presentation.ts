/** Writes answers like Loki: streams of lines, matrices and vectors of numbers. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import { formatLabels, type Label, type Operand, type Series, type Steps } from '@tapedeck/logql';
import type { EvaluatedLine } from '@tapedeck/loki-queries';
import type { FastifyReply } from 'fastify';
import { LongText, sendText } from '../compressedResponses.ts';
import { writePieces } from '../longResponses.ts';

/** Loki's statistics about its own work do not apply here and are 0. Lines and bytes count the answer. */
const cache = {
  entriesFound: 0,
  entriesRequested: 0,
  entriesStored: 0,
  bytesReceived: 0,
  bytesSent: 0,
  requests: 0,
  downloadTime: 0,
  queryLengthServed: 0,
};

const chunk = {
  headChunkBytes: 0,
  headChunkLines: 0,
  decompressedBytes: 0,
  decompressedLines: 0,
  compressedBytes: 0,
  totalDuplicates: 0,
  postFilterLines: 0,
  headChunkStructuredMetadataBytes: 0,
  decompressedStructuredMetadataBytes: 0,
};

const store = {
  totalChunksRef: 0,
  totalChunksDownloaded: 0,
  chunksDownloadTime: 0,
  queryReferencedStructuredMetadata: false,
  chunk,
  chunkRefsFetchTime: 0,
  congestionControlLatency: 0,
  pipelineWrapperFilteredLines: 0,
};

const usualStatistics = {
  querier: { store },
  ingester: { totalReached: 0, totalChunksMatched: 0, totalBatches: 0, totalLinesSent: 0, store },
  cache: {
    chunk: cache,
    index: cache,
    result: cache,
    statsResult: cache,
    volumeResult: cache,
    seriesResult: cache,
    labelResult: cache,
    instantMetricResult: cache,
  },
  index: { totalChunks: 0, postFilterChunks: 0, shardsDuration: 0, usedBloomFilters: false },
};

type Amount = { results: number; lines: number; bytes: number };

function composeStatistics(execTime: number, { results, lines, bytes }: Amount) {
  const perSecond = (amount: number) => (execTime > 0 ? Math.round(amount / execTime) : 0);
  return {
    summary: {
      bytesProcessedPerSecond: perSecond(bytes),
      linesProcessedPerSecond: perSecond(lines),
      totalBytesProcessed: bytes,
      totalLinesProcessed: lines,
      execTime,
      queueTime: 0,
      subqueries: 0,
      totalEntriesReturned: results,
      splits: 0,
      shards: 0,
      totalPostFilterLines: lines,
      totalStructuredMetadataBytesProcessed: 0,
    },
    ...usualStatistics,
  };
}

type Presented = {
  resultType: string;
  /** Writes the results as JSON, piece by piece, because an answer may hold millions of points. */
  write(): Generator<string, Amount>;
  encodingFlags?: readonly string[];
};

/** Writes in turns, so that other requests do not wait for a large answer. */
export async function sendResult(
  reply: FastifyReply,
  startedAt: number,
  { resultType, write, encodingFlags }: Presented,
): Promise<FastifyReply> {
  const flags = encodingFlags === undefined ? '' : `"encodingFlags":${JSON.stringify(encodingFlags)},`;
  const text = new LongText();
  text.add(`{"status":"success","data":{"resultType":"${resultType}",${flags}"result":[`);
  const takeTurn = takeTurns(1);
  const writing = write();
  let next = writing.next();
  for (; next.done !== true; next = writing.next()) {
    text.add(next.value);
    await takeTurn();
  }
  const stats = composeStatistics((performance.now() - startedAt) / 1000, next.value);
  text.add(`],"stats":${JSON.stringify(stats)}}}`);
  return sendText(reply, text);
}

const pieceCharactersMax = 32 * 1024;

type Stream = { name: string; labels: readonly Label[]; lines: EvaluatedLine[] };

/** Groups lines with equal labels into one stream, in their given order. */
export function presentLines(lines: readonly EvaluatedLine[], isCategorized: boolean): Presented {
  return {
    resultType: 'streams',
    write: () => writeLines(lines, isCategorized),
    ...(isCategorized && { encodingFlags: ['categorize-labels'] }),
  };
}

function* writeLines(lines: readonly EvaluatedLine[], isCategorized: boolean): Generator<string, Amount> {
  const streams = new Map<string, Stream>();
  for (const line of lines) {
    const labels = sortByName(
      isCategorized ? line.stream : [...line.stream, ...line.metadata, ...line.parsed],
    );
    const name = yield* writeName(labels);
    const known = streams.get(name) ?? { name, labels, lines: [] };
    streams.set(name, known);
    known.lines.push(line);
    yield ''; // lets other requests have their turn
  }
  // Sorts by the labels as Loki writes them. If one is the beginning of another, the longer comes first.
  const sorted = [...streams.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  let bytes = 0;
  for (const [index, stream] of sorted.entries()) {
    yield `${index > 0 ? ',' : ''}{"stream":`;
    yield* writePieces(Object.fromEntries(stream.labels));
    yield ',"values":[';
    for (const [place, line] of stream.lines.entries()) {
      bytes += Buffer.byteLength(line.text);
      if (place > 0) yield ',';
      yield* writeLine(line, isCategorized);
    }
    yield ']}';
  }
  return { results: lines.length, lines: lines.length, bytes };
}

/** Writes labels as one text. Yields to other requests if that takes a while. */
function* writeName(labels: readonly Label[]): Generator<string, string> {
  const characters = labels.reduce((sum, [, value]) => sum + value.length, 0);
  if (characters <= pieceCharactersMax) return formatLabels(labels);
  const texts: string[] = [];
  for (const label of labels) {
    texts.push(formatLabels([label]).slice(1, -1));
    yield '';
  }
  return `{${texts.join(', ')}}`;
}

/** Keeps empty values. */
function sortByName(labels: readonly Label[]): Label[] {
  return [...labels].sort(([one], [other]) => (one < other ? -1 : 1));
}

function* writeLine(
  { micros, text, metadata, parsed }: EvaluatedLine,
  isCategorized: boolean,
): Generator<string> {
  const line = `["${micros}000",${JSON.stringify(text)}`;
  if (!isCategorized) {
    yield `${line}]`;
    return;
  }
  const categories = {
    ...(metadata.length > 0 && { structuredMetadata: Object.fromEntries(sortByName(metadata)) }),
    ...(parsed.length > 0 && { parsed: Object.fromEntries(sortByName(parsed)) }),
  };
  yield `${line},`;
  yield* writePieces(categories);
  yield ']';
}

/** Lists the moments of the steps, in microseconds. */
export function listMoments({ firstMicros, stepMicros, count }: Steps): number[] {
  return Array.from({ length: count }, (_, step) => firstMicros + step * stepMicros);
}

export function presentMatrix(operand: Operand, moments: readonly number[]): Presented {
  const series: readonly Series[] =
    operand.kind === 'series' ? operand.series : [{ labels: [], points: moments.map(() => operand.value) }];
  return { resultType: 'matrix', write: () => writeMatrix(series, moments) };
}

function* writeMatrix(series: readonly Series[], moments: readonly number[]): Generator<string, Amount> {
  const times = moments.map(micros => String(toSeconds(micros)));
  let results = 0;
  for (const { labels, points } of series) {
    if (points.every(point => point === null)) continue;
    let piece = `${results++ > 0 ? ',' : ''}{"metric":${JSON.stringify(Object.fromEntries(labels))},"values":[`;
    let separator = '';
    for (const [step, point] of points.entries()) {
      if (point === null) continue;
      piece += `${separator}[${times[step] ?? 0},"${formatNumber(point)}"]`;
      separator = ',';
      if (piece.length < pieceCharactersMax) continue;
      yield piece;
      piece = '';
    }
    yield `${piece}]}`;
  }
  return countResults(results);
}

export function presentVector(operand: Operand, micros: number): Presented {
  const seconds = String(toSeconds(micros));
  if (operand.kind === 'scalar') {
    const { value } = operand;
    return { resultType: 'scalar', write: () => writeScalar(seconds, value) };
  }
  const { series } = operand;
  return { resultType: 'vector', write: () => writeVector(series, seconds) };
}

function* writeScalar(seconds: string, value: number): Generator<string, Amount> {
  yield `${seconds},"${formatNumber(value)}"`;
  return countResults(1);
}

function* writeVector(series: readonly Series[], seconds: string): Generator<string, Amount> {
  let results = 0;
  for (const {
    labels,
    points: [point = null],
  } of series) {
    if (point === null) continue;
    const metric = JSON.stringify(Object.fromEntries(labels));
    yield `${results++ > 0 ? ',' : ''}{"metric":${metric},"value":[${seconds},"${formatNumber(point)}"]}`;
  }
  return countResults(results);
}

function toSeconds(micros: number): number {
  return Math.floor(micros / 1e3) / 1e3;
}

/** The store reports how much it found, not how much it read. */
function countResults(results: number): Amount {
  return { results, lines: 0, bytes: 0 };
}

/** Never writes an exponent. */
function formatNumber(number: number): string {
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '+Inf' : '-Inf';
  const text = String(number);
  if (!text.includes('e')) return text;
  const [, sign = '', whole = '', fraction = '', exponentText] =
    /^(-?)(\d+)\.?(\d*)e([+-]\d+)$/.exec(text) ?? [];
  if (exponentText === undefined) return text;
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(whole.length + exponent, '0');
}
