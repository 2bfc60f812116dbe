/** Collects every text of the dashboard from its sources into dashboard/SENTENCES.md, to read from top to bottom. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Node, parseSync, visitorKeys } from 'oxc-parser';
import { listRepositoryFiles, repositoryRoot } from './repository.ts';
import { isTest } from './sources.ts';

const folder = 'dashboard/src/';
const gap = '…'; // replaces parts known only at run time

const head = `# Every text of the dashboard

Written by \`npm run documents\` from the sources. \`…\` stands for what is known only when it is shown. Read it once from top to bottom when
you have changed words: one idea a sentence, one word for one thing, the reader's noun first.
`;

export function printSentences(): string {
  const files = listRepositoryFiles().filter(
    file => file.startsWith(folder) && /\.tsx?$/.test(file) && !isTest(file),
  );
  const parts = files.sort().flatMap(file => {
    const found = findSentences(file, readFileSync(path.join(repositoryRoot, file), 'utf8'));
    if (found.length === 0) return [];
    return [
      `## ${file.slice(folder.length)}\n\n${found.map(text => `- ${escapeMarkdown(text)}`).join('\n')}`,
    ];
  });
  return `${[head.trimEnd(), ...parts].join('\n\n')}\n`;
}

/** Finds the sentences of a file, each once. */
function findSentences(file: string, text: string): string[] {
  const found = new Set<string>();
  const visit = (node: Node, place: Place): void => {
    if (isSilent(node)) return;
    const own = readOwn(node, place);
    if (own !== null) {
      const words = tidy(own);
      if (isShown(words, place)) found.add(words);
      if (node.type !== 'JSXElement' && node.type !== 'JSXFragment') return;
    }
    const inside = enter(node, place, own !== null);
    for (const child of listChildren(node)) visit(child, inside);
  };
  visit(parseSync(file, text).program, { isMarkup: false, isLabel: false });
  return [...found];
}

/** `isMarkup`: the surrounding text is already included; `isLabel`: the text is shown however short it is. */
type Place = { isMarkup: boolean; isLabel: boolean };

const labels =
  /^(aria-?label|title|label|placeholder|hint|about|action|meaning|words|name|alt|caption|description|note|unit|text|sentence|noun|verb)$/i;
const silentAttributes =
  /^(class|className|d|viewBox|style|to|href|rel|type|id|key|role|look|size|icon|variable|autoComplete|inputMode|align|kind|transform|fill|stroke.*|data-.*)$/;
const silentNames = /class|style|pattern|key$|Path$/i;
const silentCalls =
  /^(join|startsWith|endsWith|includes|split|replace(All)?|querySelector(All)?|getItem|setItem|removeItem|test|exec|styleButton|addEventListener|matchMedia)$/;

/** Returns whether a text has no words, or only hidden ones. */
function isSilent(node: Node): boolean {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAnnotation':
    case 'TSModuleDeclaration':
      return true;
    case 'BinaryExpression':
      return /^[!=]==?$/.test(node.operator);
    case 'JSXAttribute':
      return silentAttributes.test(nameOf(node.name));
    case 'VariableDeclarator':
      return node.init?.type !== 'ArrowFunctionExpression' && silentNames.test(nameOf(node.id));
    case 'NewExpression':
      return nameOf(node.callee) !== 'Error';
    case 'CallExpression':
      return silentCalls.test(nameOf(node.callee));
    default:
      return false;
  }
}

/** Returns null if it is not a text itself. */
function readOwn(node: Node, place: Place): string | null {
  switch (node.type) {
    case 'JSXElement':
    case 'JSXFragment':
      return !place.isMarkup && hasText(node) ? readMarkup(node) : null;
    case 'Literal':
      return typeof node.value === 'string' ? node.value : null;
    case 'TemplateLiteral':
      return readTemplate(node);
    default:
      return null;
  }
}

function enter(node: Node, place: Place, isRead: boolean): Place {
  if (node.type === 'JSXAttribute') return { isMarkup: false, isLabel: labels.test(nameOf(node.name)) };
  if (node.type === 'Property') return { ...place, isLabel: labels.test(nameOf(node.key)) };
  if (node.type === 'CallExpression')
    return { isMarkup: false, isLabel: nameOf(node.callee) === 'showToast' };
  return { ...place, isMarkup: place.isMarkup || isRead };
}

type Markup = Extract<Node, { type: 'JSXElement' | 'JSXFragment' }>;

function hasText({ children }: Markup): boolean {
  return children.some(child => child.type === 'JSXText' && /\p{L}/u.test(child.value));
}

/** Includes the words of nested elements. */
function readMarkup({ children }: Markup): string {
  return children
    .map(child => {
      if (child.type === 'JSXText') return /^\s*\n\s*$/.test(child.value) ? '' : child.value;
      if (child.type === 'JSXElement' || child.type === 'JSXFragment') return readMarkup(child) || gap;
      if (child.type !== 'JSXExpressionContainer') return gap;
      const { expression } = child;
      return expression.type === 'Literal' ? String(expression.value) : gap;
    })
    .join('');
}

function readTemplate({ quasis }: Extract<Node, { type: 'TemplateLiteral' }>): string {
  return quasis.map(({ value }) => value.cooked ?? value.raw).join(gap);
}

/** A label may be short; elsewhere, only texts that read like words count. */
function isShown(text: string, { isLabel }: Place): boolean {
  if (!/\p{L}{2}/u.test(text)) return false;
  if (
    /^M[\d.]+ ?|^(input|video),|\dpx|minmax\(|px,|^[A-Z]\w+(-[A-Z]\w+)+$|^[\w.-]+\/|^\/|^https?:|[{}<>]|var\(--|&&|\\/.test(
      text,
    )
  )
    return false;
  if (/^\p{Lu}[\p{Ll}\p{Lu}]/u.test(text) || /^[“…]?\p{Lu}.*\s/u.test(text))
    return !/^[A-Z][a-zA-Z]*[A-Z.:_]\w*$/.test(text);
  if (/(?:^|\s)[\w[\]()./:!&>*-]*[a-z]-(?:\[|\d|[a-z]+(?:-|\s|$))/.test(text) && !isLabel) return false;
  return /\p{L}.*\s.*\p{L}/u.test(text) && !/[a-z]:[a-z[]/.test(text);
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[`*_[\]<|]/g, sign => `\\${sign}`);
}

function nameOf(node: Node): string {
  switch (node.type) {
    case 'Identifier':
    case 'JSXIdentifier':
      return node.name;
    case 'Literal':
      return String(node.value);
    case 'MemberExpression':
      return nameOf(node.property);
    case 'JSXNamespacedName':
      return `${node.namespace.name}:${node.name.name}`;
    default:
      return '';
  }
}

function listChildren(node: Node): Node[] {
  const fields = new Map(Object.entries(node));
  return (visitorKeys[node.type] ?? []).flatMap(key =>
    [fields.get(key)].flat(1).filter((child): child is Node => Boolean(child)),
  );
}
