/** Parses the pipelines in the actions of a template. */
import { readConstant } from './constants.ts';
import { TemplateMistake } from './lexer.ts';
import type { Command, Mark, Pipe, Term } from './tree.ts';
import { beginsValue, cutWords, type Source, unexpected } from './words.ts';

const depthMax = 50;
const executable = ['function', 'field', 'variable', 'pipeline'];

type Surroundings = {
  isFunction(name: string): boolean;
  locate(at: number): string;
  /** The variables in scope. The pipe adds those that it declares. */
  variables: string[];
  wordsMax: number;
};

export class PipeReader {
  readonly #tokens: readonly string[];
  readonly #starts: readonly number[];
  readonly #mistake: string | null;
  readonly #isFunction: (name: string) => boolean;
  readonly #locate: (at: number) => string;
  readonly #variables: string[];
  #at = 0;

  constructor(source: Source, { isFunction, locate, variables, wordsMax }: Surroundings) {
    this.#isFunction = isFunction;
    this.#locate = locate;
    this.#variables = variables;
    const { texts, starts, mistake } = cutWords(source, wordsMax);
    this.#tokens = texts;
    this.#starts = starts;
    this.#mistake = mistake;
  }

  get words(): number {
    return this.#tokens.length;
  }

  /** `context` names the pipe in errors. */
  readWhole(context: string): Pipe {
    const pipe = this.#readPipe(0, context);
    const next = this.#peek();
    if (next !== undefined) throw unexpected(next, context);
    return pipe;
  }

  #peek(): string | undefined {
    while (this.#tokens[this.#at] === ' ') this.#at++;
    return this.#peekDirectly();
  }

  /** Does not skip a blank. */
  #peekDirectly(): string | undefined {
    const next = this.#tokens[this.#at];
    if (next === undefined && this.#mistake !== null) throw new TemplateMistake(this.#mistake);
    return next;
  }

  #readPipe(depth: number, context: string): Pipe {
    if (depth > depthMax) throw new TemplateMistake(`brackets go at most ${depthMax} deep`);
    const start = this.#at;
    const declared = this.#readDeclaration(context);
    if (declared === null) this.#at = start;
    else this.#variables.push(...declared.variables);
    const commands: Command[] = [];
    // As in Go, nothing needs to follow the last bar.
    for (let next = this.#peek(); next !== undefined && next !== ')'; next = this.#peek()) {
      if (!beginsValue(next)) throw unexpected(next, context);
      commands.push(this.#readCommand(depth));
      this.#accept('|');
    }
    if (depth > 0 && this.#peek() === undefined) throw new TemplateMistake('unclosed left paren');
    if (commands.length === 0) throw new TemplateMistake(`missing value for ${context}`);
    const idle = commands.findIndex(
      ({ terms: [head] }, stage) => stage > 0 && head !== undefined && !executable.includes(head.kind),
    );
    if (idle > 0) throw new TemplateMistake(`non executable command in pipeline stage ${idle + 1}`);
    return { variables: declared?.variables ?? [], isDeclared: declared?.isDeclared ?? false, commands };
  }

  #accept(sign: string): boolean {
    if (this.#peek() !== sign) return false;
    this.#at++;
    return true;
  }

  #readDeclaration(context: string): { variables: string[]; isDeclared: boolean } | null {
    const variables: string[] = [];
    for (let name = this.#peek(); name?.startsWith('$'); name = this.#peek()) {
      variables.push(name);
      this.#at++;
      if (!this.#accept(',')) break;
      if (context !== 'range' || variables.length > 1)
        throw new TemplateMistake(`too many declarations in ${context}`);
      const next = this.#peek();
      if (next !== undefined && next !== ')' && !next.startsWith('$'))
        throw new TemplateMistake('range can only initialize variables');
    }
    const sign = this.#peek();
    if (variables.length === 0 || (sign !== ':=' && sign !== '=')) return null;
    this.#at++;
    return { variables, isDeclared: sign === ':=' };
  }

  #readCommand(depth: number): Command {
    const terms: Term[] = [];
    const start = this.#at;
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      if (!beginsValue(next)) throw unexpected(next, 'operand');
      terms.push(this.#readTerm(next, depth));
      const behind = this.#peekDirectly();
      if (behind !== undefined && !' |)'.includes(behind)) throw unexpected(behind, 'operand');
    }
    const text = this.#tokens.slice(start, this.#at).join('').trim();
    return { terms, mark: this.#mark(this.#starts[start] ?? 0, text) };
  }

  #readTerm(text: string, depth: number): Term {
    const mark = this.#mark(this.#starts[this.#at] ?? 0, text);
    this.#at++;
    if (text === '(') {
      const pipeline = this.#readPipe(depth + 1, 'parenthesized pipeline');
      this.#accept(')');
      return {
        kind: 'pipeline',
        pipeline,
        path: this.#readPath(),
        mark: pipeline.commands.at(-1)?.mark ?? mark,
      };
    }
    if (text === '.') return this.#endTerm({ kind: 'dot', mark });
    if (text.startsWith('.') && !/\d/.test(text[1] ?? ''))
      return { kind: 'field', path: text.slice(1).split('.'), mark: this.#markField(text) };
    if (text.startsWith('$')) return this.#readVariable(text, mark);
    if (this.#isFunction(text)) return this.#readFunction(text, mark);
    return this.#endTerm({ kind: 'constant', value: readConstant(text), mark });
  }

  /** No path leads into the dot or a constant. */
  #endTerm(term: Term): Term {
    if (this.#readPath().length === 0) return term;
    throw new TemplateMistake(`unexpected . after term ${JSON.stringify(term.mark.text)}`);
  }

  /** A path directly behind a function leads into its result. */
  #readFunction(name: string, mark: Mark): Term {
    const term: Term = { kind: 'function', name, mark };
    const path = this.#readPath();
    if (path.length === 0) return term;
    const pipeline = { variables: [], isDeclared: false, commands: [{ terms: [term], mark }] };
    return { kind: 'pipeline', pipeline, path, mark };
  }

  #readVariable(name: string, mark: Mark): Term {
    if (!this.#variables.includes(name))
      throw new TemplateMistake(`undefined variable ${JSON.stringify(name)}`);
    const path = this.#readPath();
    if (path.length === 0) return { kind: 'variable', name, path, mark };
    const at = this.#starts[this.#at - 1] ?? 0; // Go's position is that of the path
    return { kind: 'variable', name, path, mark: this.#mark(at, `${name}.${path.join('.')}`) };
  }

  /** For nested fields, Go reports the position of the inner one. */
  #markField(text: string): Mark {
    const inner = text.indexOf('.', 1);
    return this.#mark((this.#starts[this.#at - 1] ?? 0) + Math.max(inner, 0), text);
  }

  /** Computes the place only if something fails there. */
  #mark(start: number, text: string): Mark {
    return { place: () => this.#locate(start), text };
  }

  /** Reads a path that follows without a blank. */
  #readPath(): string[] {
    const next = this.#tokens[this.#at];
    if (next === undefined || !/^\.[\p{L}_]/u.test(next)) return [];
    this.#at++;
    return next.slice(1).split('.');
  }
}
