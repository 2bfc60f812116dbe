/** Validates requests against the contract's shapes, explains errors in a sentence, and serialises responses. */
import SerializerSelector from '@fastify/fast-json-stringify-compiler';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { Failure } from '@tapedeck/values/failure';
import { describeLoneSurrogate, requireTexts } from '@tapedeck/values/json';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import Value from 'typebox/value';
import { describeFault, type Fault } from './validationMessages.ts';

const partNames: Readonly<Record<string, string>> = { querystring: 'The query', body: 'The body' };

/**
 * Answers 404 if a path does not fit its shape, and 400 with the field's name for a query or body. The first request that needs a check compiles
 * it.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let validator: Validator | null = null;
  const isText = httpPart !== 'body';
  const pickNamed = isText ? makePicker(schema) : null;
  const part = partNames[httpPart ?? ''] ?? 'The request';
  return (data: unknown) => {
    validator ??= findOrMake(checks, schema, () => Compile(schema));
    const value = pickNamed !== null ? pickNamed(data) : isText ? parseTexts(schema, data) : data;
    if (validator.Check(value)) {
      if (pickNamed !== null) return { value };
      return isText ? { value: clean(schema, value) } : checkTexts(clean(schema, value));
    }
    if (httpPart === 'params')
      return { error: new ServiceError('not_found', 'There is nothing at this path.') };
    const first = validator.Errors(shorten(value))[0] ?? validator.Errors(value)[0];
    const { sentence, field } = describeProblem(part, first);
    return { error: new ServiceError('invalid_field', sentence, { field }) };
  };
};

const explainedItemsMax = 1_001; // one more than the contract allows in a list
const explainedDepth = 6; // the contract's shapes are not deeper

/** Keeps the beginning of lists, which shows their faults. Finding all faults of 100,000 items takes a tenth of a second. */
function shorten(value: unknown, depth = explainedDepth): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, explainedItemsMax).map(item => shorten(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner, depth - 1)]));
}

const compile = SerializerSelector()();

type Writer = ReturnType<typeof compile>;

/** Cached by shape, so that several servers in one process compile each only once. */
const writers = new WeakMap<object, Writer>();
const checks = new WeakMap<object, Validator>();

function findOrMake<T>(known: WeakMap<object, T>, shape: object, make: () => T): T {
  const found = known.get(shape);
  if (found !== undefined) return found;
  const made = make();
  known.set(shape, made);
  return made;
}

/**
 * Leaves out fields that the response's shape does not name. Compiles a writer for its first response, because there are hundreds, and each
 * would add up to a millisecond to the start.
 */
export const compileSerializer: FastifySerializerCompiler<object> = ({ httpStatus = '', ...route }) => {
  let write: Writer | null = null;
  return answer => {
    write ??= findOrMake(writers, route.schema, () => compile({ ...route, httpStatus }));
    return write(answer);
  };
};

function clean(schema: TSchema, value: unknown): unknown {
  return isEmpty(value) ? value : Value.Clean(schema, value);
}

function checkTexts(value: unknown): { value: unknown } | { error: ServiceError } {
  try {
    requireTexts(value, complainOfText);
    return { value };
  } catch (error) {
    if (error instanceof Failure) return { error };
    throw error;
  }
}

/** No database stores these. */
function complainOfText(text: string): string | null {
  return text.includes('\0') ? 'must not hold the character U+0000.' : describeLoneSurrogate(text);
}

/**
 * Picks only the named fields of flat shapes, such as paths and most queries. It costs a twentieth of cleaning the value. Returns null for any
 * other shape.
 */
function makePicker(schema: TSchema): ((data: unknown) => unknown) | null {
  // Paths and queries have object shapes. Other shapes have no properties.
  const { properties = null, additionalProperties } = schema as FlatShape;
  if (properties === null || additionalProperties !== undefined) return null;
  const types = Object.entries(properties).map(([name, { type }]) => ({ name, type }));
  if (!types.every(({ type }) => type !== undefined && scalarTypes.has(type))) return null;
  return data => {
    if (typeof data !== 'object' || data === null) return data;
    const texts = data as Readonly<Record<string, unknown>>; // an object has names
    const picked: Record<string, unknown> = {};
    for (const { name, type } of types) {
      if (Object.hasOwn(texts, name)) picked[name] = parseText(type, texts[name]);
    }
    return picked;
  };
}

const scalarTypes: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean']);

type FlatShape = { properties?: Record<string, { type?: string }>; additionalProperties?: unknown };

/** Empty queries skip the cleaning, which costs several times as much as the check. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Converts text to numbers and flags, only in paths and queries: a wrongly typed JSON field is an error. */
function parseTexts(schema: TSchema, data: unknown): unknown {
  // Paths and queries have object shapes. Other shapes have no properties.
  const { properties } = schema as { properties?: Record<string, { type?: string }> };
  if (properties === undefined || typeof data !== 'object' || data === null) return data;
  const texts = Object.entries(data);
  return Object.fromEntries(texts.map(([name, text]) => [name, parseText(properties[name]?.type, text)]));
}

/** Leaves an unreadable value as text, so that it fails the check. */
function parseText(type: string | undefined, text: unknown): unknown {
  if (typeof text !== 'string') return text;
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

type Problem = Fault & { instancePath: string };

type FieldProblem = {
  sentence: string;
  /** A dotted path; undefined: the whole value is wrong. */
  field: string | undefined;
};

function describeProblem(part: string, problem: Problem | undefined): FieldProblem {
  if (problem === undefined) return { sentence: `${part} is invalid.`, field: undefined };
  const field = readPointer(problem.instancePath);
  // Each keyword has its own parameters, so those of others are undefined.
  const { requiredProperties } = problem.params as Record<string, string[] | undefined>;
  if (problem.keyword === 'required' && requiredProperties) {
    const missing = [field, requiredProperties[0]].filter(Boolean).join('.');
    return { sentence: `${part} lacks ${missing}.`, field: missing };
  }
  const subject = field === '' ? part : `${part}'s ${field}`;
  return { sentence: `${subject} ${describeFault(problem)}.`, field: field || undefined };
}

/** Writes a JSON pointer with dots. */
function readPointer(pointer: string): string {
  const names = pointer.slice(1).split('/');
  return names.map(name => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}
