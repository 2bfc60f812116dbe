/** Detects the labels of recent lines, and the fields that they hold as JSON or logfmt. */

import { takeTurns } from '@tapedeck/concurrency/turns';
import type { LogFilter } from '@tapedeck/log-entries';
import {
  duplicateSuffix,
  type LogQuery,
  listJsonPaths,
  parseGoDuration,
  parseGoFloat,
  parseSize,
} from '@tapedeck/logql';
import type { EvaluatedLine } from './evaluationProtocol.ts';
import { findCommonValues } from './labelLists.ts';
import { streamLabels } from './lineLabels.ts';
import { findLines, type LokiDeps } from './lists.ts';

type DetectedField = {
  label: string;
  type: 'string' | 'int' | 'float' | 'boolean' | 'duration' | 'bytes';
  cardinality: number;
  /** null: the field comes from metadata. */
  parsers: string[] | null;
  /** The keys that lead to the field in JSON lines. */
  jsonPath?: readonly string[];
};

const suffix = new RegExp(`${duplicateSuffix}$`);

type Question = { query: LogQuery; scope: LogFilter; lines: number };
type Found = { values: Set<string>; parsers: Set<string>; jsonPath?: readonly string[] };

export async function detectLabels(
  deps: LokiDeps,
  { query, scope }: Pick<Question, 'query' | 'scope'>,
  signal: AbortSignal,
): Promise<{ label: string; cardinality: number }[]> {
  const found = await Promise.all(
    streamLabels.map(async label => {
      // `findCommonValues` limits this number. Loki only estimates it, too.
      const values = await findCommonValues(deps, { scope, matchers: query.matchers, label }, signal);
      return { label, cardinality: values.length };
    }),
  );
  return found.filter(({ cardinality }) => cardinality > 0);
}

export async function detectFields(
  deps: LokiDeps,
  question: Question,
  signal: AbortSignal,
): Promise<DetectedField[]> {
  const fields = await collectFields(deps, question, signal);
  const detected: DetectedField[] = [];
  const takeTurn = takeTurns(1);
  for (const [label, { values, parsers, jsonPath }] of fields) {
    const turn = takeTurn();
    if (turn !== null) await turn;
    detected.push({
      label,
      type: findType([...values]),
      cardinality: values.size,
      parsers: parsers.size === 0 ? null : [...parsers],
      ...(jsonPath && { jsonPath }),
    });
  }
  return detected.sort((one, other) => (one.label < other.label ? -1 : 1));
}

export async function detectValues(
  deps: LokiDeps,
  question: Question & { label: string },
  signal: AbortSignal,
): Promise<string[]> {
  const fields = await collectFields(deps, question, signal);
  const values = [...(fields.get(question.label)?.values ?? [])].sort();
  return findType(values) === 'bytes' ? values.map(writeAsQueried) : values;
}

/** Filters accept only sizes without blanks and commas. */
function writeAsQueried(size: string): string {
  return size.replaceAll(/[\s,]/g, '');
}

/** Collects fields from JSON, and from logfmt for lines that are not JSON. Includes labels that the query itself parses. */
async function collectFields(
  deps: LokiDeps,
  question: Question,
  signal: AbortSignal,
): Promise<Map<string, Found>> {
  const { query, scope, lines: limit } = question;
  using held = deps.lineBudget.open(scope.project);
  const ask = (stages: LogQuery['stages']) =>
    findLines(
      deps,
      {
        query: { ...query, stages: [...query.stages, ...stages] },
        scope,
        order: 'desc',
        limit,
        intervalMicros: 0,
        held,
      },
      signal,
    );
  const fields = new Map<string, Found>();
  const takeTurn = takeTurns(1); // a line may have hundreds of fields
  const asJson = await ask([{ kind: 'json', extractions: [] }]);
  for (const line of asJson) {
    const turn = takeTurn();
    if (turn !== null) await turn;
    for (const [label, value] of line.metadata) addValue(fields, { label, value, parser: null });
    if (isRefused(line)) continue;
    addParsed(fields, line, 'json');
    addPaths(fields, line);
  }
  if (!asJson.some(isRefused)) return fields;
  const asLogfmt = await ask([{ kind: 'logfmt', extractions: [], isStrict: false, keepsEmpty: false }]);
  for (const [index, line] of asLogfmt.entries()) {
    const turn = takeTurn();
    if (turn !== null) await turn;
    const other = asJson[index];
    if (other !== undefined && isRefused(other)) addParsed(fields, line, 'logfmt');
  }
  return fields;
}

function isRefused({ parsed }: EvaluatedLine): boolean {
  return parsed.some(([name, value]) => name === '__error__' && value === 'JSONParserErr');
}

function addParsed(fields: Map<string, Found>, line: EvaluatedLine, parser: string): void {
  for (const [label, value] of line.parsed)
    if (!label.startsWith('__error')) addValue(fields, { label: nameField(label, line), value, parser });
}

/** As in Loki, metadata and a label of the same name in the line are one field. */
function nameField(label: string, { metadata }: EvaluatedLine): string {
  const plain = label.replace(suffix, '');
  return metadata.some(([name]) => name === plain) ? plain : label;
}

/** A label renamed because the stream already has its name (`level_extracted`) comes from the same member. */
function addPaths(fields: Map<string, Found>, line: EvaluatedLine): void {
  const paths = listJsonPaths(line.text);
  for (const [label] of line.parsed) {
    const found = fields.get(nameField(label, line));
    const jsonPath = paths.get(label) ?? paths.get(label.replace(suffix, ''));
    if (found !== undefined && jsonPath !== undefined) found.jsonPath ??= jsonPath;
  }
}

function addValue(
  fields: Map<string, Found>,
  { label, value, parser }: { label: string; value: string; parser: string | null },
): void {
  if (value === '') return;
  const known = fields.get(label) ?? { values: new Set(), parsers: new Set() };
  known.values.add(value);
  if (parser !== null) known.parsers.add(parser);
  fields.set(label, known);
}

const booleans = ['true', 'false', 'True', 'False', 'TRUE', 'FALSE', 't', 'f', 'T', 'F']; // as Go reads them, except for numbers

function findType(values: readonly string[]): DetectedField['type'] {
  if (values.every(value => /^[+-]?\d+$/.test(value))) return 'int';
  if (values.every(value => parseGoFloat(value) !== null)) return 'float';
  if (values.every(value => booleans.includes(value))) return 'boolean';
  if (values.every(value => parseGoDuration(value) !== null)) return 'duration';
  return values.every(value => parseSize(value) !== null) ? 'bytes' : 'string';
}
