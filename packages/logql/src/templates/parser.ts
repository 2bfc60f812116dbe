/** Parses Go templates. */
import { readConstant } from './constants.ts';
import { Definitions, readName, type Source } from './definitions.ts';
import { locateIn, type Piece, splitPieces, TemplateMistake, wordsMax } from './lexer.ts';
import type { Command, Mark, Node, Pipe, Term } from './tree.ts';

const depthMax = 50;

export type ParsedTemplate = {
  nodes: readonly Node[];
  /** The templates that it defines, by name. */
  defined: ReadonlyMap<string, readonly Node[]>;
};

export function parseTemplate(template: string, isFunction: (name: string) => boolean): ParsedTemplate {
  const reader = new TemplateReader(template, isFunction);
  const { nodes, ending } = reader.readNodes(0);
  if (ending !== null) throw new TemplateMistake(`unexpected {{${ending.text}}}`);
  return { nodes, defined: reader.definitions.byName };
}

type Nodes = { nodes: Node[]; ending: Source | null };

class TemplateReader {
  readonly #template: string;
  readonly #pieces: Piece[];
  readonly #isFunction: (name: string) => boolean;
  /** The variables in scope. */
  readonly #variables = ['$'];
  readonly definitions = new Definitions();
  #at = 0;
  #words = 0;
  #loops = 0;

  constructor(template: string, isFunction: (name: string) => boolean) {
    this.#template = template;
    this.#pieces = splitPieces(template);
    this.#isFunction = isFunction;
  }

  /** Reads nodes up to the end of the template, or to an `end` or `else` of the surrounding action. */
  readNodes(depth: number): Nodes {
    if (depth > depthMax) throw new TemplateMistake(`actions go at most ${depthMax} deep`);
    const nodes: Node[] = [];
    while (this.#at < this.#pieces.length) {
      // The loop condition checks that a piece is left.
      const piece = this.#pieces[this.#at++] as Piece;
      const { kind, text, start } = piece;
      if (kind === 'text') nodes.push({ kind, text });
      else if (/^(?:end$|else\b)/.test(text)) return { nodes, ending: { text, start } };
      else nodes.push(...this.#readAction({ text, start }, depth));
    }
    return { nodes, ending: null };
  }

  /** Returns no node for a definition. */
  #readAction({ text, start }: Source, depth: number): Node[] {
    const [, word = '', behind = ''] =
      /^(if|with|range|define|block|template|break|continue)\b([\s\S]*)$/.exec(text) ?? [];
    const rest = { text: behind, start: start + word.length };
    switch (word) {
      case 'if':
      case 'with':
      case 'range':
        return [this.#readBranch({ kind: word, condition: rest }, depth)];
      case 'break':
      case 'continue':
        if (this.#loops === 0) throw new TemplateMistake(`{{${word}}} outside {{range}}`);
        return [{ kind: word }];
      case 'define':
        if (depth > 0) throw new TemplateMistake('unexpected <define> in command');
        this.#readDefinition(readName(rest, 'define clause').name, 'define clause', depth);
        return [];
      case 'block':
      case 'template':
        return [this.#readCall(word, rest, depth)];
      default:
        return [{ kind: 'action', pipe: this.#readPipe({ text, start }) }];
    }
  }

  #readCall(word: 'block' | 'template', text: Source, depth: number): Node {
    const { name, start, rest } = readName(text, `${word} clause`);
    const dot = rest.text.trim();
    const pipe = word === 'template' && dot === '' ? null : this.#readPipe(rest);
    if (word === 'block') this.#readDefinition(name, 'block clause', depth);
    const shown = `{{template ${JSON.stringify(name)}${dot && ` ${dot}`}}}`;
    const mark = { place: () => locateIn(this.#template, start), text: shown };
    return { kind: 'template', name, pipe, mark };
  }

  /** A defined template sees no variables or loops of the surrounding one. */
  #readDefinition(name: string, clause: string, depth: number): void {
    const variables = this.#variables.splice(1);
    const loops = this.#loops;
    this.#loops = 0;
    const { nodes, ending } = this.readNodes(depth + 1);
    this.#loops = loops;
    this.#variables.splice(1, this.#variables.length, ...variables);
    if (ending === null) throw new TemplateMistake('unexpected EOF');
    if (ending.text !== 'end') throw new TemplateMistake(`unexpected {{${ending.text}}} in ${clause}`);
    this.definitions.add(name, nodes);
  }

  #readBranch(
    { kind, condition }: { kind: 'if' | 'with' | 'range'; condition: Source },
    depth: number,
  ): Node {
    const declared = this.#variables.length;
    const pipe = this.#readPipe(condition);
    if (kind === 'range') this.#loops++;
    const body = this.readNodes(depth + 1);
    if (kind === 'range') this.#loops--;
    const otherwise = this.#readOtherwise(body.ending, depth);
    this.#variables.splice(declared);
    return { kind, pipe, body: body.nodes, otherwise };
  }

  /** Reads the nodes after `else`, up to `end`. */
  #readOtherwise(ending: Source | null, depth: number): readonly Node[] {
    if (ending === null) throw new TemplateMistake('unexpected EOF');
    if (ending.text === 'end') return [];
    const [, chained, text = ''] = /^else\s+(if|with)\b([\s\S]*)$/.exec(ending.text) ?? [];
    if (chained !== undefined) {
      const start = ending.start + ending.text.length - text.length;
      const kind = chained === 'if' ? 'if' : 'with';
      return [this.#readBranch({ kind, condition: { text, start } }, depth + 1)];
    }
    if (ending.text !== 'else') throw new TemplateMistake(`unexpected {{${ending.text}}}`);
    const rest = this.readNodes(depth + 1);
    if (rest.ending?.text !== 'end') throw new TemplateMistake('unexpected EOF');
    return rest.nodes;
  }

  #readPipe({ text, start }: Source): Pipe {
    const locate = (at: number) => locateIn(this.#template, start + at);
    const reader = new PipeReader(text, {
      isFunction: this.#isFunction,
      locate,
      variables: this.#variables,
      wordsMax: wordsMax - this.#words,
    });
    this.#words += reader.words;
    return reader.readWhole();
  }
}

const token =
  /\s+|"(?:[^"\\]|\\.)*"|`[^`]*`|'(?:[^'\\]|\\.)'|:=|[=|(),]|(?:\.[\p{L}_][\p{L}\p{Nd}_]*)+|\.(?![\d])|\$[\p{L}\p{Nd}_]*|[+-]?(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|[\p{L}_][\p{L}\p{Nd}_]*/uy;

type Surroundings = {
  isFunction(name: string): boolean;
  locate(at: number): string;
  /** The variables in scope. The pipe adds those that it declares. */
  variables: string[];
  wordsMax: number;
};

class PipeReader {
  readonly #tokens: string[] = [];
  readonly #starts: number[] = [];
  readonly #isFunction: (name: string) => boolean;
  readonly #locate: (at: number) => string;
  readonly #variables: string[];
  #at = 0;

  constructor(text: string, { isFunction, locate, variables, wordsMax: most }: Surroundings) {
    this.#isFunction = isFunction;
    this.#locate = locate;
    this.#variables = variables;
    token.lastIndex = 0;
    while (token.lastIndex < text.length) {
      const start = token.lastIndex;
      const found = token.exec(text)?.[0];
      if (found === undefined)
        throw new TemplateMistake(`unexpected ${JSON.stringify(text[start])} in command`);
      this.#tokens.push(found.trimStart() === '' ? ' ' : found);
      this.#starts.push(start);
      if (this.words > most) throw new TemplateMistake(`a template holds at most ${wordsMax} words`);
    }
  }

  get words(): number {
    return this.#tokens.length;
  }

  readWhole(): Pipe {
    const pipe = this.#readPipe(0);
    if (this.#peek() !== undefined) throw new TemplateMistake(`unexpected ${this.#peek()} in command`);
    return pipe;
  }

  #peek(): string | undefined {
    while (this.#tokens[this.#at] === ' ') this.#at++;
    return this.#tokens[this.#at];
  }

  #readPipe(depth: number): Pipe {
    if (depth > depthMax) throw new TemplateMistake(`brackets go at most ${depthMax} deep`);
    const start = this.#at;
    const declared = this.#readDeclaration();
    if (declared === null) this.#at = start;
    else this.#variables.push(...declared.variables);
    const commands: Command[] = [];
    do commands.push(this.#readCommand(depth));
    while (this.#accept('|'));
    const idle = commands.findIndex(
      ({ terms: [head] }, stage) => stage > 0 && (head?.kind === 'constant' || head?.kind === 'dot'),
    );
    if (idle > 0) throw new TemplateMistake(`non executable command in pipeline stage ${idle + 1}`);
    return { variables: declared?.variables ?? [], isDeclared: declared?.isDeclared ?? false, commands };
  }

  #accept(sign: string): boolean {
    if (this.#peek() !== sign) return false;
    this.#at++;
    return true;
  }

  #readDeclaration(): { variables: string[]; isDeclared: boolean } | null {
    const variables: string[] = [];
    do {
      const name = this.#peek();
      if (!name?.startsWith('$')) return null;
      variables.push(name);
      this.#at++;
    } while (this.#accept(','));
    const sign = this.#peek();
    if (sign !== ':=' && sign !== '=') return null;
    this.#at++;
    return { variables, isDeclared: sign === ':=' };
  }

  #readCommand(depth: number): Command {
    const terms: Term[] = [];
    this.#peek();
    const start = this.#at;
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek())
      terms.push(this.#readTerm(next, depth));
    if (terms.length === 0) throw new TemplateMistake('missing value for command');
    const text = this.#tokens.slice(start, this.#at).join('').trim();
    return { terms, mark: this.#mark(this.#starts[start] ?? 0, text) };
  }

  #readTerm(text: string, depth: number): Term {
    const mark = this.#mark(this.#starts[this.#at] ?? 0, text);
    this.#at++;
    if (text === '(') {
      const pipeline = this.#readPipe(depth + 1);
      if (!this.#accept(')')) throw new TemplateMistake('unclosed left paren');
      return {
        kind: 'pipeline',
        pipeline,
        path: this.#readPath(),
        mark: pipeline.commands.at(-1)?.mark ?? mark,
      };
    }
    if (text === '.') return { kind: 'dot', mark };
    if (text.startsWith('.') && !/\d/.test(text[1] ?? ''))
      return { kind: 'field', path: text.slice(1).split('.'), mark: this.#markField(text) };
    if (text.startsWith('$')) return this.#readVariable(text, mark);
    if (this.#isFunction(text)) return this.#readFunction(text, mark);
    return { kind: 'constant', value: readConstant(text), mark };
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
    return { kind: 'variable', name, path: this.#readPath(), mark };
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
