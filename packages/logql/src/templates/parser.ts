/** Parses Go templates. */
import { Definitions, readName } from './definitions.ts';
import { locateIn, type Piece, splitPieces, TemplateMistake, wordsMax } from './lexer.ts';
import { PipeReader } from './pipes.ts';
import type { Node, Pipe } from './tree.ts';
import { requireEnd, type Source, unexpected } from './words.ts';

const depthMax = 50;

export type ParsedTemplate = {
  nodes: readonly Node[];
  /** The templates that it defines, by name. */
  defined: ReadonlyMap<string, readonly Node[]>;
};

export function parseTemplate(template: string, isFunction: (name: string) => boolean): ParsedTemplate {
  const reader = new TemplateReader(template, isFunction);
  const { nodes, ending } = reader.readNodes(0);
  if (ending !== null) throw new TemplateMistake(`unexpected {{${ending.word}}}`);
  return { nodes, defined: reader.definitions.byName };
}

/** `chained` is the `if` or `with` of an `else`. */
type Ending = { word: 'end' | 'else'; chained: 'if' | 'with' | null; rest: Source };
type Nodes = { nodes: Node[]; ending: Ending | null };

const wordEnd = '(?![\\p{L}\\p{Nd}_])';
const endings = new RegExp(`^(end|else)${wordEnd}(?:\\s+(if|with)${wordEnd})?`, 'u');
const statements = new RegExp(`^(if|with|range|define|block|template|break|continue)${wordEnd}`, 'u');

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
      const ending = readEnding(piece);
      if (ending !== null) return { nodes, ending };
      if (piece.kind === 'text') nodes.push({ kind: 'text', text: piece.text });
      else nodes.push(...this.#readAction(piece, depth));
    }
    return { nodes, ending: null };
  }

  /** Returns no node for a definition. */
  #readAction(source: Source, depth: number): Node[] {
    const [word = ''] = statements.exec(source.text) ?? [];
    const rest = skip(source, word.length);
    switch (word) {
      case 'if':
      case 'with':
      case 'range':
        return [this.#readBranch({ kind: word, condition: rest }, depth)];
      case 'break':
      case 'continue':
        requireEnd(rest, `{{${word}}}`);
        if (this.#loops === 0) throw new TemplateMistake(`{{${word}}} outside {{range}}`);
        return [{ kind: word }];
      case 'define':
        if (depth > 0) throw new TemplateMistake('unexpected <define> in command');
        this.#define(rest, depth);
        return [];
      case 'block':
      case 'template':
        return [this.#readCall(word, rest, depth)];
      default:
        return [{ kind: 'action', pipe: this.#readPipe(source, 'command') }];
    }
  }

  #define(source: Source, depth: number): void {
    const { name, rest } = readName(source, 'define clause');
    requireEnd(rest, 'define clause');
    this.#readDefinition(name, 'define clause', depth);
  }

  #readCall(word: 'block' | 'template', text: Source, depth: number): Node {
    const { name, start, rest } = readName(text, `${word} clause`);
    const dot = rest.text.trim();
    const isAlone = word === 'template' && dot === '' && rest.mistake === undefined;
    const pipe = isAlone ? null : this.#readPipe(rest, `${word} clause`);
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
    if (ending.word !== 'end') throw new TemplateMistake(`unexpected {{${ending.word}}} in ${clause}`);
    this.definitions.add(name, nodes);
  }

  #readBranch(
    { kind, condition }: { kind: 'if' | 'with' | 'range'; condition: Source },
    depth: number,
  ): Node {
    const declared = this.#variables.length;
    const pipe = this.#readPipe(condition, kind);
    if (kind === 'range') this.#loops++;
    const body = this.readNodes(depth + 1);
    if (kind === 'range') this.#loops--;
    const otherwise = this.#readOtherwise(kind, body.ending, depth);
    this.#variables.splice(declared);
    return { kind, pipe, body: body.nodes, otherwise };
  }

  /** Reads the nodes after `else`, up to `end`. */
  #readOtherwise(kind: 'if' | 'with' | 'range', ending: Ending | null, depth: number): readonly Node[] {
    if (ending === null) throw new TemplateMistake('unexpected EOF');
    const { word, chained, rest } = ending;
    if (word === 'end') return [];
    if (chained !== null && chained === kind)
      return [this.#readBranch({ kind: chained, condition: rest }, depth + 1)];
    if (chained !== null) throw unexpected(chained, 'input');
    const last = this.readNodes(depth + 1);
    if (last.ending === null) throw new TemplateMistake('unexpected EOF');
    if (last.ending.word === 'else') throw new TemplateMistake('expected end; found {{else}}');
    return last.nodes;
  }

  #readPipe(source: Source, context: string): Pipe {
    const locate = (at: number) => locateIn(this.#template, source.start + at);
    const reader = new PipeReader(source, {
      isFunction: this.#isFunction,
      locate,
      variables: this.#variables,
      wordsMax: wordsMax - this.#words,
    });
    this.#words += reader.words;
    return reader.readWhole(context);
  }
}

function readEnding(piece: Piece): Ending | null {
  const [whole = '', word, chained] = (piece.kind === 'action' && endings.exec(piece.text)) || [];
  if (word !== 'end' && word !== 'else') return null;
  if (word === 'end' || chained === undefined) requireEnd(skip(piece, word.length), word);
  const isChained = word === 'else' && (chained === 'if' || chained === 'with');
  return { word, chained: isChained ? chained : null, rest: skip(piece, whole.length) };
}

/** Leaves out the first characters. */
function skip({ text, start, mistake }: Source, length: number): Source {
  return { text: text.slice(length), start: start + length, ...(mistake !== undefined && { mistake }) };
}
