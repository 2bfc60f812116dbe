/** The parsers: extract labels from JSON, logfmt, patterns, expressions and packed lines. */
import { compileExpression } from '../expressions.ts';
import type { LabelSet } from '../labels/labelSet.ts';
import { sanitizeName } from '../labels/names.ts';
import { type JsonPath, parseJsonPath, parseLogfmtKey } from '../language/jsonPaths.ts';
import type { Extraction, Stage } from '../language/tree.ts';
import { depthMax, nameMember } from './jsonMembers.ts';
import { JsonMistake, JsonScanner } from './jsonScanning.ts';
import { capturePattern, compileParserPattern } from './linePatterns.ts';
import { readLogfmt } from './logfmt.ts';

/** The labels that the query needs; null: all. */
export type Required = ReadonlySet<string> | null;

/** Adds labels and returns the line. Some parsers change it. */
type Parser = (line: string, labels: LabelSet) => string;

type ParserStage = Extract<Stage, { kind: 'json' | 'logfmt' | 'regexp' | 'pattern' | 'unpack' }>;

const replacementCharacter = '\ufffd'; // replaces invalid UTF-8; labels get a blank instead, as in Loki

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
  if (name === '') return;
  const apart = labels.nameApart(name);
  if (required !== null && !required.has(apart)) return;
  if (!labels.isParsed(apart)) labels.set('parsed', apart, value);
}

function hasAll({ labels, required }: Target): boolean {
  if (required === null) return false;
  for (const name of required) if (!labels.isParsed(name)) return false;
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
    if (sign === '"') {
      const text = scanner.readString();
      extract(
        target,
        name,
        text.includes(replacementCharacter) ? text.replaceAll(replacementCharacter, ' ') : text,
      );
    } else if (sign === '[' || sign === '{') scanner.readRaw();
    else {
      const word = scanner.readWord();
      if (word !== 'null') extract(target, name, word);
    }
    return !hasAll(target);
  });
}

function parseSomeJson(extractions: readonly Extraction[]): Parser {
  const paths = extractions.map(({ name, expression }) => ({ name, path: parseJsonPath(expression) }));
  return (line, labels) => {
    if (line === '') return line;
    if (!/^["{[]/.test(line)) labels.failParsing('JSONParserErr', '');
    else {
      for (const { name, path } of paths) {
        const found = findJson(line, path, labels);
        const apart = labels.nameApart(name);
        if (found !== null) labels.set('parsed', apart, found);
        else if (labels.get(name) === undefined) labels.set('parsed', name, '');
      }
    }
    return line;
  };
}

/** Returns the text at the path, or JSON if it is not a text; null if nothing is there. Ignores mistakes on the way to it. */
function findJson(line: string, path: JsonPath, labels: LabelSet): string | null {
  const scanner = new JsonScanner(line);
  if (!isThere(scanner, path)) return null;
  try {
    if (scanner.peek() === '"') return scanner.readString();
    const raw = scanner.readRaw();
    return raw === 'null' ? '' : raw;
  } catch (error) {
    failJson(labels, error);
    return null;
  }
}

function isThere(scanner: JsonScanner, path: JsonPath): boolean {
  try {
    return path.every(step =>
      typeof step === 'number' ? enterList(scanner, step) : enterObject(scanner, step),
    );
  } catch (error) {
    if (error instanceof JsonMistake) return false;
    throw error;
  }
}

function enterObject(scanner: JsonScanner, key: string): boolean {
  if (scanner.peek() !== '{') return false;
  const isThrough = scanner.eachMember(found => {
    if (found === key) return false;
    scanner.peek();
    scanner.readRaw();
    return true;
  });
  return !isThrough;
}

function enterList(scanner: JsonScanner, index: number): boolean {
  if (!scanner.accept('[') || scanner.peek() === ']') return false;
  for (let place = 0; place < index; place++) {
    scanner.readRaw();
    if (!scanner.accept(',')) return false;
  }
  return true;
}

function parseLogfmt(stage: Extract<Stage, { kind: 'logfmt' }>, required: Required): Parser {
  const { extractions, isStrict, keepsEmpty } = stage;
  const chosen = extractions.length === 0 ? null : chooseKeys(extractions);
  return (line, labels) => {
    const target = { labels, required: chosen === null ? required : null };
    if (hasAll(target)) return line;
    for (const { name } of extractions) if (labels.nameApart(name) === name) labels.set('parsed', name, '');
    const error = readLogfmt(line, isStrict, (key, text) => {
      const name = sanitizeName(key);
      if (chosen === null) {
        if (text !== '' || keepsEmpty) extract(target, name, text.replaceAll(replacementCharacter, ' '));
        return !hasAll(target);
      }
      const wanted = chosen.get(name);
      const value = text.includes(replacementCharacter) ? '' : text;
      if (wanted !== undefined) labels.set('parsed', labels.nameApart(wanted), value);
      return true;
    });
    if (error !== null && isStrict) labels.failParsing('LogfmtParserErr', error);
    return line;
  };
}

/** Maps keys of the line to labels. A key that equals one of the labels is that label, too. */
function chooseKeys(extractions: readonly Extraction[]): ReadonlyMap<string, string> {
  return new Map([
    ...extractions.map(({ name }) => [name, name] as const),
    ...extractions.map(({ name, expression }) => [parseLogfmtKey(expression), name] as const),
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
      else found.push([sanitizeName(key), scanner.readString()]);
      return true;
    });
  } catch (error) {
    failJson(labels, error);
    return line;
  }
  if (entry === null) return line;
  for (const [name, value] of found) labels.set('parsed', labels.nameApart(name), value);
  return entry;
}
