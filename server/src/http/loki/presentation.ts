/** Writes answers as Loki does: streams of lines, matrices and vectors of numbers. */
import { compareLabels, type Label, type Operand, type Series, type Steps } from '@tapedeck/logql';
import type { FastifyReply } from 'fastify';
import type { EvaluatedLine } from '../../domain/logs/loki/evaluationProtocol.ts';
import { jsonType } from '../responseHeaders.ts';

/** Its statistics tell of a work that is not done here in the same way. */
const emptyCaches = {
  entriesFound: 0,
  entriesRequested: 0,
  entriesStored: 0,
  bytesReceived: 0,
  bytesSent: 0,
  requests: 0,
};

function composeStatistics(execSeconds: number, lines: number) {
  const store = { totalChunksRef: 0, totalChunksDownloaded: 0, chunksDownloadTime: 0, chunk: emptyChunk };
  return {
    summary: {
      bytesProcessedPerSecond: 0,
      linesProcessedPerSecond: 0,
      totalBytesProcessed: 0,
      totalLinesProcessed: lines,
      execTime: execSeconds,
      queueTime: 0,
      subqueries: 0,
      totalEntriesReturned: lines,
      splits: 0,
      shards: 0,
    },
    querier: { store },
    ingester: { totalReached: 0, totalChunksMatched: 0, totalBatches: 0, totalLinesSent: 0, store },
    cache: { chunk: emptyCaches, index: emptyCaches, result: emptyCaches },
  };
}

const emptyChunk = {
  headChunkBytes: 0,
  headChunkLines: 0,
  decompressedBytes: 0,
  decompressedLines: 0,
  compressedBytes: 0,
  totalDuplicates: 0,
};

export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply
    .type(jsonType)
    .serializer((text: string) => text)
    .send(JSON.stringify(body));
}

type Presented = {
  resultType: string;
  result: unknown;
  lines: number;
  encodingFlags?: readonly string[];
};

export function sendResult(reply: FastifyReply, startedAt: number, presented: Presented): FastifyReply {
  const { resultType, result, lines, encodingFlags } = presented;
  const stats = composeStatistics((performance.now() - startedAt) / 1000, lines);
  const flags = encodingFlags === undefined ? {} : { encodingFlags };
  return sendJson(reply, { status: 'success', data: { resultType, ...flags, result, stats } });
}

type Stream = { stream: Record<string, string>; values: unknown[][] };

/** Lines under equal labels are one stream, in the order in which they come. */
export function presentLines(lines: readonly EvaluatedLine[], isCategorized: boolean): Presented {
  const streams = new Map<string, { labels: Label[]; presented: Stream }>();
  for (const line of lines) {
    const labels = sortByName(
      isCategorized ? line.stream : [...line.stream, ...line.metadata, ...line.parsed],
    );
    const key = JSON.stringify(labels);
    const known = streams.get(key) ?? {
      labels,
      presented: { stream: Object.fromEntries(labels), values: [] },
    };
    streams.set(key, known);
    known.presented.values.push(presentLine(line, isCategorized));
  }
  const sorted = [...streams.values()].sort((one, other) => compareLabels(one.labels, other.labels));
  return {
    resultType: 'streams',
    result: sorted.map(({ presented }) => presented),
    lines: lines.length,
    ...(isCategorized && { encodingFlags: ['categorize-labels'] }),
  };
}

/** Empty values stay. */
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

export function presentMatrix(operand: Operand, steps: Steps): Presented {
  const series: readonly Series[] =
    operand.kind === 'series'
      ? operand.series
      : [{ labels: [], points: Array(steps.count).fill(operand.value) }];
  const result = series.map(({ labels, points }) => ({
    metric: Object.fromEntries(labels),
    values: points.flatMap((point, step) =>
      point === null
        ? []
        : [[Math.floor((steps.firstMicros + step * steps.stepMicros) / 1e3) / 1e3, formatNumber(point)]],
    ),
  }));
  return { resultType: 'matrix', result: result.filter(({ values }) => values.length > 0), lines: 0 };
}

export function presentVector(operand: Operand, micros: number): Presented {
  const seconds = Math.floor(micros / 1e3) / 1e3;
  if (operand.kind === 'scalar')
    return { resultType: 'scalar', result: [seconds, formatNumber(operand.value)], lines: 0 };
  const result = operand.series.flatMap(({ labels, points: [point = null] }) =>
    point === null ? [] : [{ metric: Object.fromEntries(labels), value: [seconds, formatNumber(point)] }],
  );
  return { resultType: 'vector', result, lines: 0 };
}

/** Never with an exponent. */
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
