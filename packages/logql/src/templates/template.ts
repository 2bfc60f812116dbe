/** Compiles templates of lines and labels, and runs them within bounds. */
import { parseMistake } from '../mistakes.ts';
import { functions } from './functions.ts';
import { parseTemplate } from './parser.ts';
import { TemplateMistake } from './pieces.ts';
import type { Command, Mark, Node, Pipe, Term } from './tree.ts';
import {
  isList,
  isRecord,
  isTrue,
  LocatedFailure,
  Moment,
  print,
  TemplateFailure,
  type Value,
} from './values.ts';
import { nameType } from './verbs.ts';

type TemplateInput = {
  readonly micros: number;
  readonly line: string;
  readonly labels: Readonly<Record<string, string>>;
};

export type Template = ((input: TemplateInput) => string | { error: string }) & {
  /** The labels that it reads. */
  readonly fields: ReadonlySet<string>;
};

const stepsMax = 20_000; // per line: cuts off a template that never ends within some milliseconds
const outputCharactersMax = 1_000_000;
const lazyFunctions = ['and', 'or'];
const inputFunctions = ['__line__', '__timestamp__'];

/** Throws a `LogqlMistake` for what is no template. */
export function compileTemplate(text: string, kind: 'line' | 'label', label = ''): Template {
  const occasion = kind === 'line' ? 'invalid line template' : `invalid template for label '${label}'`;
  const nodes = parse(text, `${occasion}: template: ${kind}:1`);
  const run = (input: TemplateInput) => {
    try {
      return new Run(input, kind).write(nodes);
    } catch (error) {
      if (error instanceof LocatedFailure) return { error: `template: ${kind}:${error.message}` };
      if (error instanceof TemplateFailure) return { error: `template: ${kind}: ${error.message}` };
      throw error;
    }
  };
  return Object.assign(run, { fields: new Set(listFields(nodes)) });
}

function parse(text: string, occasion: string): readonly Node[] {
  try {
    return parseTemplate(
      text,
      name => Object.hasOwn(functions, name) || lazyFunctions.includes(name) || inputFunctions.includes(name),
    );
  } catch (error) {
    if (error instanceof TemplateMistake) throw parseMistake(`${occasion}: ${error.message}`);
    throw error;
  }
}

function* listFields(nodes: readonly Node[]): Generator<string> {
  for (const node of nodes) {
    if ('pipe' in node) yield* listPipeFields(node.pipe);
    if ('body' in node) yield* listFields([...node.body, ...node.otherwise]);
  }
}

function* listPipeFields({ commands }: Pipe): Generator<string> {
  for (const term of commands.flatMap(({ terms }) => terms)) {
    if (term.kind === 'field' && term.path[0] !== undefined) yield term.path[0];
    if (term.kind === 'pipeline') yield* listPipeFields(term.pipeline);
  }
}

type Scope = { dot: Value; variables: Map<string, Value>; outer: Scope | null };

/** How a loop ends early. */
class LoopEnd extends Error {
  readonly word: 'break' | 'continue';

  constructor(word: 'break' | 'continue') {
    super(word);
    this.word = word;
  }
}

/** One line's way through a template. */
class Run {
  readonly #input: TemplateInput;
  readonly #name: string;
  readonly #pieces: string[] = [];
  #characters = 0;
  #steps = 0;

  constructor(input: TemplateInput, name: string) {
    this.#input = input;
    this.#name = name;
  }

  write(nodes: readonly Node[]): string {
    const dot: Value = this.#input.labels;
    this.#runAll(nodes, { dot, variables: new Map([['$', dot]]), outer: null });
    return this.#pieces.join('');
  }

  #runAll(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) {
      if (++this.#steps > stepsMax) throw new TemplateFailure(`it takes more than ${stepsMax} steps`);
      this.#runNode(node, scope);
    }
  }

  #runNode(node: Node, scope: Scope): void {
    switch (node.kind) {
      case 'text':
        this.#put(node.text);
        return;
      case 'break':
      case 'continue':
        throw new LoopEnd(node.kind);
      case 'action': {
        const value = this.#evaluate(node.pipe, scope);
        if (node.pipe.variables.length === 0) this.#put(print(value));
        return;
      }
      case 'range':
        this.#runRange(node, scope);
        return;
      default: {
        const inner = enter(scope);
        const value = this.#evaluate(node.pipe, inner);
        if (node.kind === 'with' && isTrue(value)) inner.dot = value;
        this.#runAll(isTrue(value) ? node.body : node.otherwise, inner);
      }
    }
  }

  #runRange(node: Extract<Node, { kind: 'if' | 'with' | 'range' }>, scope: Scope): void {
    const { variables } = node.pipe;
    const value = this.#evaluate({ ...node.pipe, variables: [] }, scope);
    const items = listItems(value);
    if (items.length === 0) this.#runAll(node.otherwise, enter(scope));
    for (const [key, item] of items) {
      const inner = enter(scope);
      inner.dot = item;
      const [first, second] = variables;
      if (first !== undefined) inner.variables.set(first, second === undefined ? item : key);
      if (second !== undefined) inner.variables.set(second, item);
      try {
        this.#runAll(node.body, inner);
      } catch (error) {
        if (!(error instanceof LoopEnd)) throw error;
        if (error.word === 'break') return;
      }
    }
  }

  #put(text: string): void {
    this.#characters += text.length;
    if (this.#characters > outputCharactersMax)
      throw new TemplateFailure(`it writes more than ${outputCharactersMax} characters`);
    this.#pieces.push(text);
  }

  #evaluate({ variables, isDeclared, commands }: Pipe, scope: Scope): Value {
    let value: Value = null;
    for (const [index, command] of commands.entries())
      value = this.#call(command, scope, index === 0 ? [] : [value]);
    const [name] = variables;
    if (name !== undefined) (isDeclared ? scope : findScope(scope, name)).variables.set(name, value);
    return value;
  }

  #call(command: Command, scope: Scope, last: readonly Value[]): Value {
    const [head, ...rest] = command.terms;
    if (++this.#steps > stepsMax) throw new TemplateFailure(`it takes more than ${stepsMax} steps`);
    if (head === undefined) return null;
    if (head.kind !== 'function') {
      if (rest.length + last.length > 0) throw new TemplateFailure("can't give argument to non-function");
      return this.#read(head, scope);
    }
    if (lazyFunctions.includes(head.name)) return this.#callLazily(head.name, rest, { scope, last });
    const values = [...rest.map(term => this.#read(term, scope)), ...last];
    const { name } = head;
    return this.#locate(command.mark, () => this.#apply(name, values));
  }

  #apply(name: string, values: readonly Value[]): Value {
    if (name === '__line__') return this.#input.line;
    if (name === '__timestamp__') return new Moment(BigInt(this.#input.micros) * 1_000n);
    const work = functions[name];
    if (work === undefined) throw new TemplateFailure(`function "${name}" not defined`);
    if (values.length < work.length)
      throw new TemplateFailure(`wrong number of args for ${name}: want ${work.length} got ${values.length}`);
    try {
      return work(...values);
    } catch (error) {
      if (!(error instanceof TemplateFailure) || error.message.startsWith('error calling')) throw error;
      throw new TemplateFailure(`error calling ${name}: ${error.message}`);
    }
  }

  /** Adds the position to errors, as Go does. */
  #locate({ place, text }: Mark, work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof TemplateFailure) || error instanceof LocatedFailure) throw error;
      throw new LocatedFailure(`${place()}: executing "${this.#name}" at <${text}>: ${error.message}`);
    }
  }

  #callLazily(
    name: string,
    terms: readonly Term[],
    { scope, last }: { scope: Scope; last: readonly Value[] },
  ): Value {
    let value: Value = null;
    for (const term of terms) {
      value = this.#read(term, scope);
      if (isTrue(value) === (name === 'or')) return value;
    }
    return last[0] ?? value;
  }

  #read(term: Term, scope: Scope): Value {
    switch (term.kind) {
      case 'constant':
        return term.value;
      case 'dot':
        return scope.dot;
      case 'field':
        return this.#locate(term.mark, () => follow(scope.dot, term.path));
      case 'variable':
        return follow(findScope(scope, term.name).variables.get(term.name) ?? null, term.path);
      case 'function':
        return this.#call({ terms: [term], mark: { place: () => '1:0', text: term.name } }, scope, []);
      case 'pipeline':
        return follow(this.#evaluate(term.pipeline, scope), term.path);
    }
  }
}

function enter(outer: Scope): Scope {
  return { dot: outer.dot, variables: new Map(), outer };
}

function findScope(scope: Scope, name: string): Scope {
  for (let place: Scope | null = scope; place !== null; place = place.outer)
    if (place.variables.has(name)) return place;
  throw new TemplateFailure(`undefined variable "${name}"`);
}

/** Missing values are empty. */
function follow(value: Value, path: readonly string[]): Value {
  return path.reduce<Value>((found, name) => {
    if (found === null || found === '') return '';
    if (!isRecord(found))
      throw new TemplateFailure(`can't evaluate field ${name} in type ${nameType(found)}`);
    return Object.hasOwn(found, name) ? (found[name] ?? null) : '';
  }, value);
}

function listItems(value: Value): [key: Value, item: Value][] {
  if (isList(value)) return value.map((item, index) => [BigInt(index), item]);
  if (isRecord(value)) {
    const names = Object.keys(value).sort();
    return names.map(name => [name, value[name] ?? null]);
  }
  if (value === null || value === '') return [];
  throw new TemplateFailure(`range can't iterate over ${print(value).slice(0, 100)}`);
}
