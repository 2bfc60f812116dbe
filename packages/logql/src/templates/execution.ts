/** Executes a template for a line, within limits. */
import { functions } from './functions.ts';
import { itemsMax, listItems } from './iteration.ts';
import { callMethod, findMethod } from './momentMethods.ts';
import type { TemplateInput } from './repetition.ts';
import { enter, findScope, LoopEnd, type Scope } from './scopes.ts';
import { requireCount, requireFit, requireKind, type Signature } from './signatures.ts';
import type { Command, Mark, Node, Pipe, Term } from './tree.ts';
import { isRecord, isTrue, LocatedFailure, Moment, print, TemplateFailure, type Value } from './values.ts';

const stepsMax = itemsMax; // per line: stops an endless template within a few milliseconds
const depthMax = 500; // of templates that call templates; Go allows 100,000, for which the stack of a thread is too small
const outputCharactersMax = 1_000_000;
const lazyFunctions = ['and', 'or'];
const inputFunctions = ['__line__', '__timestamp__'];

export function isFunction(name: string): boolean {
  return Object.hasOwn(functions, name) || lazyFunctions.includes(name) || inputFunctions.includes(name);
}

type RunOptions = { name: string; templates: ReadonlyMap<string, readonly Node[]> };

/** `last` is the result of the previous command of the pipe, if there is one. */
type Call = { command: Command; last: readonly Value[] };

/** One execution of a template for a line. */
export class Run {
  readonly #input: TemplateInput;
  /** The template that runs, for errors. */
  #name: string;
  readonly #templates: ReadonlyMap<string, readonly Node[]>;
  readonly #pieces: string[] = [];
  #characters = 0;
  #steps = 0;
  #depth = 0;

  constructor(input: TemplateInput, { name, templates }: RunOptions) {
    this.#input = input;
    this.#name = name;
    this.#templates = templates;
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
      case 'template':
        this.#runTemplate(node, scope);
        return;
      default: {
        const inner = enter(scope);
        const value = this.#evaluate(node.pipe, inner);
        if (node.kind === 'with' && isTrue(value)) inner.dot = value;
        this.#runAll(isTrue(value) ? node.body : node.otherwise, inner);
      }
    }
  }

  #runTemplate({ name, pipe, mark }: Extract<Node, { kind: 'template' }>, scope: Scope): void {
    const nodes = this.#locate(mark, () => {
      const found = this.#templates.get(name);
      if (found === undefined) throw new TemplateFailure(`template ${JSON.stringify(name)} not defined`);
      if (++this.#depth > depthMax)
        throw new TemplateFailure(`exceeded maximum template depth (${depthMax})`);
      return found;
    });
    const dot = pipe === null ? {} : this.#evaluate(pipe, scope); // without a dot, each field is empty
    const outer = this.#name;
    this.#name = name;
    this.#runAll(nodes, { dot, variables: new Map([['$', dot]]), outer: null });
    this.#name = outer;
    this.#depth--;
  }

  #runRange(node: Extract<Node, { kind: 'if' | 'with' | 'range' }>, scope: Scope): void {
    const { variables, isDeclared } = node.pipe;
    const value = this.#evaluate({ ...node.pipe, variables: [] }, scope);
    const mark = markLast(node.pipe);
    const owners = variables.map(name =>
      isDeclared ? null : this.#locate(mark, () => findScope(scope, name)),
    );
    const items = this.#locate(mark, () => listItems(value, variables.length));
    if (items.length === 0) this.#runAll(node.otherwise, enter(scope));
    for (const [key, item] of items) {
      const inner = enter(scope);
      inner.dot = item;
      const values = variables.length === 1 ? [item] : [key, item];
      for (const [place, name] of variables.entries())
        (owners[place] ?? inner).variables.set(name, values[place] ?? null);
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

  #evaluate(pipe: Pipe, scope: Scope): Value {
    const { variables, isDeclared, commands } = pipe;
    let value: Value = null;
    for (const [index, command] of commands.entries())
      value = this.#call(command, scope, index === 0 ? [] : [value]);
    const [name] = variables;
    if (name === undefined) return value;
    const owner = isDeclared ? scope : this.#locate(markLast(pipe), () => findScope(scope, name));
    owner.variables.set(name, value);
    return value;
  }

  #call(command: Command, scope: Scope, last: readonly Value[]): Value {
    const [head, ...rest] = command.terms;
    if (++this.#steps > stepsMax) throw new TemplateFailure(`it takes more than ${stepsMax} steps`);
    if (head === undefined) return null;
    if (head.kind !== 'function') return this.#callOther(head, { command, last }, scope);
    if (lazyFunctions.includes(head.name))
      return this.#locate(head.mark, () => this.#callLazily(head.name, rest, { scope, last }));
    const signature = this.#locate(head.mark, () => requireCount(head.name, rest.length + last.length));
    const values = this.#readArguments({ command, last }, scope, signature);
    return this.#locate(command.mark, () => this.#apply(head.name, values));
  }

  /** Only functions and the methods of times take arguments. */
  #callOther(head: Term, call: Call, scope: Scope): Value {
    const count = call.command.terms.length - 1 + call.last.length;
    if (count > 0 && 'path' in head) {
      const owner = this.#read({ ...head, path: head.path.slice(0, -1) }, scope);
      const name = head.path.at(-1) ?? '';
      const method = findMethod(owner, name);
      if (method !== undefined) {
        this.#locate(head.mark, () => requireFit(name, count, method));
        const values = this.#readArguments(call, scope, method);
        return this.#locate(head.mark, () => callMethod(owner, name, values));
      }
    }
    return this.#readAlone(head, scope, count > 0);
  }

  #readArguments({ command, last }: Call, scope: Scope, { takes, more }: Signature): Value[] {
    const values: Value[] = [];
    const add = (value: Value, { mark, constant }: { mark: Mark; constant: string | null }) => {
      const kind = takes[values.length] ?? more ?? 'any';
      this.#locate(mark, () => requireKind(kind, value, constant));
      values.push(value);
    };
    for (const term of command.terms.slice(1)) {
      const { mark, kind } = term;
      add(this.#read(term, scope), { mark, constant: kind === 'constant' ? mark.text : null });
    }
    const { mark } = command.terms.at(-1) ?? command;
    for (const value of last) add(value, { mark, constant: null });
    return values;
  }

  /** Reads a term that is not a function, so it takes no arguments. */
  #readAlone(term: Term, scope: Scope, isGiven: boolean): Value {
    const isNil = term.kind === 'constant' && term.value === null;
    if (isGiven || isNil)
      this.#locate(term.mark, () => {
        if (isNil) throw new TemplateFailure('nil is not a command');
        if (term.kind === 'field')
          throw new TemplateFailure(`${term.path.at(-1)} is not a method but has arguments`);
        throw new TemplateFailure(`can't give argument to non-function ${term.mark.text}`);
      });
    return this.#read(term, scope);
  }

  #apply(name: string, values: readonly Value[]): Value {
    if (name === '__line__') return this.#input.line;
    if (name === '__timestamp__') return new Moment(BigInt(this.#input.micros) * 1_000n);
    const work = functions[name];
    if (work === undefined) throw new TemplateFailure(`"${name}" is not a defined function`);
    try {
      return work(...values);
    } catch (error) {
      if (!(error instanceof TemplateFailure) || error.message.startsWith('error calling')) throw error;
      throw new TemplateFailure(`error calling ${name}: ${error.message}`);
    }
  }

  /** Adds the position to errors, as Go does. */
  #locate<Found>({ place, text }: Mark, work: () => Found): Found {
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
    const [first] = [...terms, ...last];
    if (first === undefined)
      throw new TemplateFailure(`wrong number of args for ${name}: want at least 1 got 0`);
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
        return this.#locate(term.mark, () => this.#follow(scope.dot, term.path));
      case 'variable': {
        const value = findScope(scope, term.name).variables.get(term.name) ?? null;
        return this.#locate(term.mark, () => this.#follow(value, term.path));
      }
      case 'function':
        return this.#call({ terms: [term], mark: term.mark }, scope, []);
      case 'pipeline': {
        const value = this.#evaluate(term.pipeline, scope);
        return this.#locate(term.mark, () => this.#follow(value, term.path));
      }
    }
  }

  /** Missing labels are empty; missing JSON members are null. So are the members of what `fromJson` could not read. */
  #follow(value: Value, path: readonly string[]): Value {
    if (value === null) return null;
    return path.reduce<Value>((found, name) => {
      if (found === null) throw new TemplateFailure(`nil pointer evaluating interface {}.${name}`);
      if (!isRecord(found)) return callMethod(found, name);
      return Object.hasOwn(found, name) ? (found[name] ?? null) : this.#input.labels === found ? '' : null;
    }, value);
  }
}

/** Go reports the last term of a pipe for mistakes with its variables. */
function markLast({ commands }: Pipe): Mark {
  return commands.at(-1)?.terms.at(-1)?.mark ?? { place: () => '1:0', text: '' };
}
