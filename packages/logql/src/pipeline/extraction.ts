/** The parsers: extract labels from JSON, logfmt, patterns, expressions and packed lines. */
import { compileExpression } from '../expressions.ts';
import type { LabelSet } from '../labels/labelSet.ts';
import { sanitizeName } from '../labels/names.ts';
import { parseJsonPath, parseLogfmtKey } from '../language/jsonPaths.ts';
import type { Extraction, Stage } from '../language/tree.ts';
import { depthMax, nameMember } from './jsonMembers.ts';
import { JsonMistake, JsonScanner } from './jsonScanning.ts';
import { walkJson } from './jsonWalking.ts';
import { capturePattern, compileParserPattern } from './linePatterns.ts';
import { readLogfmt } from './logfmt.ts';
import { isBroken, replaceBroken } from './texts.ts';

/** The labels that the query needs; null: all. */
export type Required = ReadonlySet<string> | null;

/** Adds labels and returns the line. Some parsers change it. */
type Parser = (line: string, labels: LabelSet) => string;

type ParserStage = Extract<Stage, { kind: 'json' | 'logfmt' | 'regexp' | 'pattern' | 'unpack' }>;

export function compileParser(stage: ParserStage, required: Required): Parser {
  if (required?.size === 0) return line => line; // the query needs neither its labels nor its errors
  switch (stage.kind) {
    case 'json':
      return stage.extractions.length === 0 ? parseAllJson(required) : parseSomeJson(stage.extractions);
    case 'logfmt':
      return parseLogfmt(stage, required);
    case 'pattern': {
      const pieces = compileParserPattern(stage.text);
      return (line, labels) => {
        for (const [name, value] of capturePattern(pieces, line)) extract({ labels, required }, name, value);
        return line;
      };
    }
    case 'regexp': {
      const expression = compileExpression(stage.text);
      return (line, labels) => {
        for (const [name, value] of expression.find(line)?.named ?? [])
          extract({ labels, required }, name, value);
        return line;
      };
    }
    default:
      return unpack;
  }
}

type Target = { labels: LabelSet; required: Required };

/** The first extracted value wins, and a member without a name is skipped. */
function extract({ labels, required }: Target, name: string, value: string): void {
  if (name === '' || (required !== null && !required.has(name))) return; // it also has the names before suffixes
  const apart = labels.nameApart(name);
  if (required !== null && !required.has(apart)) return;
  if (!labels.isTaken(apart)) labels.set(apart, value);
}

function hasAll({ labels, required }: Target): boolean {
  if (required === null) return false;
  for (const name of required) if (!labels.isTaken(name)) return false;
  return true;
}

function failJson(labels: LabelSet, error: unknown): void {
  if (!(error instanceof JsonMistake)) throw error;
  labels.failParsing('JSONParserErr', error.message);
}

function parseAllJson(required: Required): Parser {
  return (line, labels) => {
    const target = { labels, required };
    if (hasAll(target)) return line;
    try {
      const scanner = new JsonScanner(line);
      extractMembers(scanner, target, { prefix: '', depth: 0 });
    } catch (error) {
      failJson(labels, error);
    }
    return line;
  };
}

type Level = { prefix: string; depth: number };

function extractMembers(scanner: JsonScanner, target: Target, { prefix, depth }: Level): boolean {
  return scanner.eachMember(key => {
    const name = nameMember(prefix, key);
    const sign = scanner.peek();
    if (sign === '{' && depth < depthMax) {
      scanner.requireWhole();
      return extractMembers(scanner, target, { prefix: name, depth: depth + 1 });
    }
    if (sign === '"') extract(target, name, replaceBroken(scanner.readString()));
    else if (sign === '[' || sign === '{') scanner.readRaw();
    else {
      const word = scanner.readWord();
      if (word !== 'null') extract(target, name, word);
    }
    return !hasAll(target);
  });
}

function parseSomeJson(extractions: readonly Extraction[]): Parser {
  const names = extractions.map(({ name }) => name);
  const paths = extractions.map(({ expression }) => parseJsonPath(expression));
  return (line, labels) => {
    if (line === '') return line;
    if (!/^["{[]/.test(line)) {
      labels.failParsing('JSONParserErr', '');
      return line;
    }
    walkJson(line, paths, {
      take: (path, text) => labels.set(labels.nameApart(names[path] ?? ''), text),
      fail: mistake => labels.failParsing('JSONParserErr', mistake.message),
    });
    for (const name of names) if (labels.getOwn(name) === undefined) labels.set(name, '');
    return line;
  };
}

function parseLogfmt(stage: Extract<Stage, { kind: 'logfmt' }>, required: Required): Parser {
  const { extractions, isStrict, keepsEmpty } = stage;
  const chosen = extractions.length === 0 ? null : chooseKeys(extractions);
  return (line, labels) => {
    const target = { labels, required: chosen === null ? required : null };
    if (hasAll(target)) return line;
    for (const { name } of extractions) if (labels.nameApart(name) === name) labels.set(name, '');
    const error = readLogfmt(line, isStrict, (key, text) => {
      const name = sanitizeName(key);
      if (chosen === null) {
        if (text !== '' || keepsEmpty) extract(target, name, replaceBroken(text));
        return !hasAll(target);
      }
      const wanted = chosen.get(name);
      if (wanted !== undefined) labels.set(labels.nameApart(wanted), isBroken(text) ? '' : text);
      return true;
    });
    if (error !== null) labels.failParsing('LogfmtParserErr', error);
    return line;
  };
}

/** Maps keys of the line to labels. A key that equals one of the labels is that label, too. A label named twice has its last key. */
function chooseKeys(extractions: readonly Extraction[]): ReadonlyMap<string, string> {
  const keys = new Map(extractions.map(({ name, expression }) => [name, parseLogfmtKey(expression)]));
  return new Map([
    ...extractions.map(({ name }) => [name, name] as const),
    ...[...keys].map(([name, key]) => [key, name] as const),
  ]);
}

/** Unpacks Promtail's format: the member `_entry` is the line, the others are labels. Lines without `_entry` stay unchanged. */
function unpack(line: string, labels: LabelSet): string {
  if (line === '') return line;
  let entry: string | null = null;
  const found: [string, string][] = [];
  try {
    const scanner = new JsonScanner(line);
    if (!line.startsWith('{')) throw new JsonMistake('expecting json object(6), but it is not');
    scanner.eachMember(key => {
      if (scanner.peek() !== '"') scanner.readRaw();
      else if (key === '_entry') entry = scanner.readString();
      else {
        const apart = labels.nameApart(key); // as in Loki, before invalid characters become `_`
        const value = scanner.readString();
        if (!labels.isTaken(apart)) found.push([sanitizeName(apart), value]);
      }
      return true;
    });
  } catch (error) {
    failJson(labels, error);
    return line;
  }
  if (entry === null) return line;
  for (const [name, value] of found) labels.set(name, value);
  return entry;
}
