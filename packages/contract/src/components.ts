/** Names the parts that the API description would otherwise repeat: shapes, parameters and error answers. */
import type { TSchema } from 'typebox';
import { describedWords } from './values.ts';
import { type ErrorCode, errorStatuses } from './vocabulary.ts';

export type Json = Record<string, unknown>;

/** Keywords whose value is a shape, a list of shapes, or a map of shapes by name. */
const shapeKeywords: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not']);
const listKeywords: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const mapKeywords: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs']);

export class Components {
  readonly #texts = new WeakMap<TSchema, string>();
  readonly #namesByText = new Map<string, string>();
  readonly #textsByName = new Map<string, string>();
  readonly #parameterNames = new Map<string, string>();
  readonly #schemas: Json = {};
  readonly #parameters: Json = {};
  readonly #responses: Json = {};

  /** Equal shapes share a name, because `Type.Optional` and similar functions copy shapes. */
  nameShape(schema: TSchema, name: string): void {
    const text = this.#textOf(schema);
    if (this.#namesByText.has(text)) return;
    if (this.#textsByName.has(name)) throw new Error(`Two shapes of the contract have the name ${name}.`);
    this.#namesByText.set(text, name);
    this.#textsByName.set(name, text);
  }

  /** Returns the shape, or a reference if it has a name. */
  describeShape(schema: TSchema): Json {
    const name = this.#namesByText.get(this.#textOf(schema));
    if (name === undefined) return this.#describeParts(schema);
    this.#schemas[name] ??= this.#describeParts(schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Names a parameter after itself. If the name already has another meaning, adds the operation's name. */
  describeParameter(parameter: Json & { name: string; schema: TSchema }, operation: string): Json {
    const text = JSON.stringify(parameter);
    const plainName = parameter.name.replaceAll(/[^\w.-]/g, '_');
    const name =
      this.#parameterNames.get(text) ??
      (plainName in this.#parameters ? `${plainName}Of${toPascalCase(operation)}` : plainName);
    this.#parameterNames.set(text, name);
    this.#parameters[name] ??= { ...parameter, schema: this.describeShape(parameter.schema) };
    return { $ref: `#/components/parameters/${name}` };
  }

  /** Describes the errors of one status, named after their codes. */
  describeErrors(codes: readonly ErrorCode[]): Json {
    const sorted = codes.toSorted();
    const words = sorted.map(code => `\`${code}\``);
    const description = `Codes: ${words.join(', ')}.`;
    return this.describeError(sorted.map(toPascalCase).join('Or'), description);
  }

  describeError(name: string, description: string): Json {
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
    this.#responses[name] ??= { description, content };
    return { $ref: `#/components/responses/${name}` };
  }

  list(): { schemas: Json; parameters: Json; responses: Json } {
    return {
      schemas: sortByName(this.#schemas),
      parameters: sortByName(this.#parameters),
      responses: sortByName(this.#responses),
    };
  }

  /** Caches texts, because routes share many shapes and every start does this work. */
  #textOf(schema: TSchema): string {
    const known = this.#texts.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema);
    this.#texts.set(schema, text);
    return text;
  }

  #describeParts(schema: TSchema): Json {
    const parts = Object.entries(schema).filter(([keyword]) => keyword !== '$id');
    return Object.fromEntries(parts.map(([keyword, value]) => this.#describePart(keyword, value)));
  }

  /** In JSON Schema, these keywords hold only shapes; `additionalProperties` may also be a flag. */
  #describePart(keyword: string, value: unknown): [string, unknown] {
    // Lists the words for readers, although only the domain checks them.
    if (keyword === describedWords) return ['enum', value];
    if (typeof value !== 'object' || value === null) return [keyword, value];
    if (shapeKeywords.has(keyword)) return [keyword, this.describeShape(value)];
    if (listKeywords.has(keyword) && Array.isArray(value))
      return [keyword, value.map((shape: TSchema) => this.describeShape(shape))];
    if (!mapKeywords.has(keyword)) return [keyword, value];
    const shapes = Object.entries(value).map(([name, shape]) => [name, this.describeShape(shape)]);
    return [keyword, Object.fromEntries(shapes)];
  }
}

export function groupByStatus(codes: readonly ErrorCode[]): [status: number, codes: ErrorCode[]][] {
  const groups = Map.groupBy(codes, code => errorStatuses[code]);
  return [...groups].sort(([one], [other]) => one - other);
}

export function toPascalCase(name: string): string {
  const words = name.split('_').map(word => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join('');
}

/** Ignores the order of routes, so that a new route changes as little of the description as possible. */
function sortByName(parts: Json): Json {
  return Object.fromEntries(Object.entries(parts).sort(([one], [other]) => (one < other ? -1 : 1)));
}
