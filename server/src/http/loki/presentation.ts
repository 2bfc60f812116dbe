/** Writes answers like Loki: streams of lines, matrices and vectors of numbers. */
import { formatLabels, type Label, type Operand, type Series, type Steps } from '@tapedeck/logql';
import type { EvaluatedLine } from '@tapedeck/loki-queries';
import type { FastifyReply } from 'fastify';
import { sendJson } from './answers.ts';

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
  result: unknown;
  amount: Amount;
  encodingFlags?: readonly string[];
};

export function sendResult(
  reply: FastifyReply,
  startedAt: number,
  presented: Presented,
): Promise<FastifyReply> {
  const { resultType, result, amount, encodingFlags } = presented;
  const stats = composeStatistics((performance.now() - startedAt) / 1000, amount);
  const flags = encodingFlags === undefined ? {} : { encodingFlags };
  return sendJson(reply, { status: 'success', data: { resultType, ...flags, result, stats } });
}

type Stream = { stream: Record<string, string>; values: unknown[][] };

/** Groups lines with equal labels into one stream, in their given order. */
export function presentLines(lines: readonly EvaluatedLine[], isCategorized: boolean): Presented {
  const streams = new Map<string, { name: string; presented: Stream }>();
  for (const line of lines) {
    const labels = sortByName(
      isCategorized ? line.stream : [...line.stream, ...line.metadata, ...line.parsed],
    );
    const name = formatLabels(labels);
    const known = streams.get(name) ?? {
      name,
      presented: { stream: Object.fromEntries(labels), values: [] },
    };
    streams.set(name, known);
    known.presented.values.push(presentLine(line, isCategorized));
  }
  // Sorts by the labels as Loki writes them. If one is the beginning of another, the longer comes first.
  const sorted = [...streams.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    resultType: 'streams',
    result: sorted.map(({ presented }) => presented),
    amount: {
      results: lines.length,
      lines: lines.length,
      bytes: lines.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0),
    },
    ...(isCategorized && { encodingFlags: ['categorize-labels'] }),
  };
}

/** Keeps empty values. */
function sortByName(labels: readonly Label[]): Label[] {
  return [...labels].sort(([one], [other]) => (one < other ? -1 : 1));
}

function presentLine({ micros, text, metadata, parsed }: EvaluatedLine, isCategorized: boolean): unknown[] {
  const time = `${micros}000`;
  if (!isCategorized) return [time, text];
  const categories = {
    ...(metadata.length > 0 && { structuredMetadata: Object.fromEntries(sortByName(metadata)) }),
    ...(parsed.length > 0 && { parsed: Object.fromEntries(sortByName(parsed)) }),
  };
  return [time, text, categories];
}

/** Lists the moments of the steps, in microseconds. */
export function listMoments({ firstMicros, stepMicros, count }: Steps): number[] {
  return Array.from({ length: count }, (_, step) => firstMicros + step * stepMicros);
}

export function presentMatrix(operand: Operand, moments: readonly number[]): Presented {
  const series: readonly Series[] =
    operand.kind === 'series' ? operand.series : [{ labels: [], points: moments.map(() => operand.value) }];
  const result = series.map(({ labels, points }) => ({
    metric: Object.fromEntries(labels),
    values: points.flatMap((point, step) =>
      point === null ? [] : [[Math.floor((moments[step] ?? 0) / 1e3) / 1e3, formatNumber(point)]],
    ),
  }));
  const told = result.filter(({ values }) => values.length > 0);
  return { resultType: 'matrix', result: told, amount: countResults(told) };
}

export function presentVector(operand: Operand, micros: number): Presented {
  const seconds = Math.floor(micros / 1e3) / 1e3;
  if (operand.kind === 'scalar')
    return {
      resultType: 'scalar',
      result: [seconds, formatNumber(operand.value)],
      amount: countResults([1]),
    };
  const result = operand.series.flatMap(({ labels, points: [point = null] }) =>
    point === null ? [] : [{ metric: Object.fromEntries(labels), value: [seconds, formatNumber(point)] }],
  );
  return { resultType: 'vector', result, amount: countResults(result) };
}

/** The store reports how much it found, not how much it read. */
function countResults(results: readonly unknown[]): Amount {
  return { results: results.length, lines: 0, bytes: 0 };
}

/** Never writes an exponent. */
function formatNumber(number: number): string {
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '+Inf' : '-Inf';
  const text = String(number);
  const [, sign = '', whole = '', fraction = '', exponentText] =
    /^(-?)(\d+)\.?(\d*)e([+-]\d+)$/.exec(text) ?? [];
  if (exponentText === undefined) return text;
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return sign + digits.padEnd(whole.length + exponent, '0');
}
