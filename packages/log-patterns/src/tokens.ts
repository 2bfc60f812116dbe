/** Splits templates into words, signs and placeholders. Caches tokens, because most occur in many templates. */
import { isDecisiveWord } from './decisiveWords.ts';
import { placeholderNames, wordsPlaceholder } from './templates.ts';

export type Token = {
  readonly text: string;
  readonly hash: number;
  readonly isWord: boolean;
  /** May be a word of a name, which can have digits. */
  readonly isGapWord: boolean;
  readonly isDecisive: boolean;
  /** May occur between the words of a name or of speech. */
  readonly isInner: boolean;
  /** May end speech. */
  readonly isFinal: boolean;
  /** Occurs in generated names: `web-<hex>-abc`. */
  readonly isCompound: boolean;
  readonly isBlank: boolean;
  readonly isPlaceholder: boolean;
};

export type TemplateWords = { readonly text: string; readonly tokens: readonly Token[] };

/** Marks metadata paths, because programs may also write `<Ben>`. Unicode reserves these two noncharacters; no text has them. */
const pathStart = '\uFDD0';
const pathEnd = '\uFDD1';

const token = new RegExp(
  `${pathStart}[^${pathEnd}]*${pathEnd}|<(?:\\*|${placeholderNames.join('|')})>|[\\p{L}\\p{M}\\p{N}_]+(?:['’][\\p{L}\\p{M}\\p{N}_]+)*|\\s|.`,
  'gu',
);
const word = /^[\p{L}\p{N}_]/u;
const inner = /^[\s\-.,!?'’~*&+]$/u;
const final = /^[.!?…]$/u;
const compound: ReadonlySet<string> = new Set(['<n>', '<hex>', '<id>', '<uuid>', '_']);

const rememberedMax = 100_000; // about 20 MB
const remembered = new Map<string, Token>();

/** Marks metadata paths, so that they do not become words. */
export function markPaths(template: string, paths: ReadonlySet<string>): string {
  if (paths.size === 0 || !template.includes('<')) return template;
  return template.replaceAll(bracketed, (all, inner: string) =>
    paths.has(inner.replaceAll(escaped, '$1')) ? `${pathStart}${inner}${pathEnd}` : all,
  );
}

const bracketed = /<((?:\\[<>\\]|[^<>\\])+)>/g;
const escaped = /\\([<>\\])/g;

export function unmarkPaths(text: string): string {
  return text.replaceAll(pathStart, '<').replaceAll(pathEnd, '>');
}

export function isMarkedPath(text: string): boolean {
  return text.startsWith(pathStart);
}

export function splitTemplate(text: string): TemplateWords {
  return new LazyWords(text);
}

/** Splits lazily: most templates never need their tokens. */
class LazyWords implements TemplateWords {
  readonly text: string;
  #tokens: readonly Token[] | null = null;

  constructor(text: string) {
    this.text = text;
  }

  get tokens(): readonly Token[] {
    this.#tokens ??= (this.text.match(token) ?? []).map(findToken);
    return this.#tokens;
  }
}

function findToken(text: string): Token {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= rememberedMax) remembered.clear();
  const described = describe(text);
  remembered.set(text, described);
  return described;
}

function describe(text: string): Token {
  const isWord = word.test(text);
  const isInner = inner.test(text);
  return {
    text,
    hash: hashText(text),
    isWord,
    isGapWord: isWord || text === '<id>' || text === wordsPlaceholder,
    isDecisive: isDecisiveWord(text),
    isInner,
    isFinal: final.test(text),
    isCompound: text.trim() !== '' && (compound.has(text) || isInner),
    isBlank: text.trim() === '',
    isPlaceholder: text.startsWith(pathStart) || (text.startsWith('<') && text !== '<'),
  };
}

function hashText(text: string): number {
  let next = 0x2f0b4a9d;
  for (let index = 0; index < text.length; index++)
    next = Math.imul(next ^ text.charCodeAt(index), 0x01000193);
  return Math.imul(next ^ (next >>> 15), 0x85ebca6b) >>> 0;
}

export function mixHash(hash: number, value: number): number {
  const next = Math.imul(hash ^ value, 0x85ebca6b);
  return Math.imul(next ^ (next >>> 15), 0xc2b2ae35) >>> 0;
}
