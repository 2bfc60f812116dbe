/** Compiles templates for lines and labels. */
import { parseMistake } from '../mistakes.ts';
import { isFunction, Run } from './execution.ts';
import { TemplateMistake } from './lexer.ts';
import { type ParsedTemplate, parseTemplate } from './parser.ts';
import {
  listReads,
  type Reads,
  type Result,
  remember,
  type TemplateInput,
  type Write,
} from './repetition.ts';
import { listPieces, type TemplatePiece } from './simpleTemplates.ts';
import type { Node } from './tree.ts';
import { LocatedFailure, TemplateFailure } from './values.ts';

/** `pieces` is what it writes; null if it does more than write texts and labels. */
export type Template = Write &
  Pick<Reads, 'fields' | 'readsAll'> & { readonly pieces: readonly TemplatePiece[] | null };

/** Throws a `LogqlMistake` for an invalid template. */
export function compileTemplate(text: string, kind: 'line' | 'label', label = ''): Template {
  const occasion = kind === 'line' ? 'invalid line template' : `invalid template for label '${label}'`;
  const parsed = parse(text, `${occasion}: template: ${kind}:1`);
  const templates = new Map<string, readonly Node[]>([[kind, parsed.nodes], ...parsed.defined]);
  const run = (input: TemplateInput): Result => {
    try {
      return new Run(input, { name: kind, templates }).write(parsed.nodes);
    } catch (error) {
      if (error instanceof LocatedFailure) return { error: `template: ${kind}:${error.message}` };
      if (error instanceof TemplateFailure) return { error: `template: ${kind}: ${error.message}` };
      throw error;
    }
  };
  const reads = { ...listReads([...templates.values()].flat()), pieces: listPieces(parsed.nodes) };
  return Object.assign(reads.isRepeatable ? remember(run, [...reads.fields]) : run, reads);
}

function parse(text: string, occasion: string): ParsedTemplate {
  try {
    return parseTemplate(text, isFunction);
  } catch (error) {
    if (error instanceof TemplateMistake) throw parseMistake(`${occasion}: ${error.message}`);
    throw error;
  }
}
