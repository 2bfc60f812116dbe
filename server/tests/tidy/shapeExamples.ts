/** Examples for the rules about the shape of the code: sizes, literals and comments. */
import * as boundaries from './boundaries.ts';
import * as comments from './comments.ts';
import { spreadLiterals } from './literals.ts';
import type { Example } from './rule.ts';
import * as sizes from './sizes.ts';

const lines = (count: number) => 'x;\n'.repeat(count);
const domain = 'packages/domain/src/identity/tokens.ts';
const test = 'server/tests/door.test.ts';

export const shapeExamples: readonly Example[] = [
  {
    rule: sizes.fileSizes,
    title: 'a long file',
    files: { 'a.ts': lines(301) },
    advice: /301 lines of at most 300/,
  },
  { rule: sizes.fileSizes, title: 'a file that just fits', files: { 'a.ts': lines(300) } },
  {
    rule: sizes.functionSizes,
    title: 'a long function',
    files: { 'a.ts': `const f = () => {\n${lines(59)}};` },
    advice: /a function of 61 lines/,
  },
  {
    rule: sizes.functionSizes,
    title: 'a function that just fits',
    files: { 'a.ts': `function f() {\n${lines(58)}}` },
  },
  {
    rule: sizes.functionSizes,
    title: 'a long group of tests',
    files: { [test]: `describe('', () => {\n${lines(80)}});` },
  },
  {
    rule: sizes.parameterCounts,
    title: 'four parameters',
    files: { 'a.ts': 'class A { f(a, b, c, ...d) {} }' },
    advice: /4 parameters of at most 3/,
  },
  {
    rule: sizes.parameterCounts,
    title: 'three parameters and `this`, and a callback with four',
    files: { 'a.ts': 'function f(this: A, a, b, c) { hook((a, b, c, d) => a); }' },
  },
  {
    rule: spreadLiterals,
    title: 'an object literal in an object',
    files: { 'a.ts': 'const a = { ...{ b: 1 }, c };' },
    advice: /spreads a literal/,
  },
  {
    rule: spreadLiterals,
    title: 'properties of an element in a literal',
    files: { 'a.tsx': 'const a = <B {...{ c }} />;' },
    advice: /spreads a literal/,
  },
  {
    rule: spreadLiterals,
    title: 'spread names and choices',
    files: { 'a.ts': 'const a = [...b, ...(c ? [d] : [])];' },
  },
  {
    rule: comments.openingSentences,
    title: 'no opening comment',
    files: { 'a.ts': '// hello' },
    advice: /begin the file/,
  },
  {
    rule: comments.openingSentences,
    title: 'an opening comment that is not a sentence',
    files: { 'a.ts': '/** */' },
    advice: /begin/,
  },
  {
    rule: comments.openingSentences,
    title: 'an opening comment',
    files: { 'a.ts': '#!/usr/bin/env node\n/** Owns the words. */' },
  },
  {
    rule: comments.otherOpenings,
    title: 'a script that begins with code',
    files: { 'a.sh': '#!/bin/sh\nset -e\n# Installs the packages.' },
    advice: /begin the file/,
  },
  {
    rule: comments.otherOpenings,
    title: 'openings of other languages',
    files: {
      'a.sh': '#!/bin/sh\n# Installs the packages.\n',
      'b.css': '/* The look of pages. */\na {}',
      'c.py': '"""Sends records."""\n',
      'd.lua': '-- Sends entries in batches.\n',
      'e.json': '{}',
    },
  },
  {
    rule: comments.reasonsOfAssertions,
    title: 'an assertion without a reason',
    files: { [domain]: '// Why not.\n\nlet a = b as C;' },
    advice: /say in a comment/,
  },
  {
    rule: comments.reasonsOfAssertions,
    title: 'assertions with reasons, constants, and those of tests',
    files: {
      [domain]:
        '// b was checked.\nlet a = f(\n  b as C);\nlet d = b as C; // so was this\nlet e = [1] as const;',
      [test]: 'let a = b as C;',
    },
  },
  {
    rule: comments.silencedChecks,
    title: 'ignored types',
    files: { 'a.ts': '// @ts-ignore' },
    advice: /silences a check/,
  },
  {
    rule: comments.silencedChecks,
    title: 'an expected error',
    files: { 'a.ts': '// @ts-expect-error the point' },
  },
  {
    rule: boundaries.environment,
    title: 'a read of the environment outside config.ts',
    files: { [domain]: 'process.env.HOME;' },
    advice: /make it a setting/,
  },
  {
    rule: boundaries.environment,
    title: 'an import of the environment',
    files: { [domain]: "import { env as e } from 'node:process';" },
    advice: /make it a setting/,
  },
  {
    rule: boundaries.environment,
    title: 'reads of the environment in config.ts, tests and scripts',
    files: { 'server/src/config.ts': 'process.env;', [test]: 'process.env;', 'scripts/a.ts': 'process.env;' },
  },
  ...[
    '/** Of the dataset header. */',
    "refuse('Last-Event-ID is unknown.');",
    'type Target = { headerDataset: string };',
    'function read(parameters: QueryParameters) {}',
    '// 413 comes before 415',
    '/** Answers `POST /v3/logs`. */',
    "import type { FastifyRequest } from 'fastify';",
  ].map(text => ({
    rule: boundaries.requestsInHttp,
    title: text,
    files: { [domain]: text },
    advice: /is a word of HTTP/,
  })),
  {
    rule: boundaries.requestsInHttp,
    title: 'headers of formats, numbers of things, and words of http/',
    files: {
      'packages/media-facts/src/png.ts': '// The header comes first.',
      [domain]: 'const filesPerTurn = 500; // one query',
      'server/src/http/a.ts': '// A header, a cookie, a query string: 404.',
    },
  },
  { rule: boundaries.anyTypes, title: 'any', files: { 'a.ts': 'let a: any[];' }, advice: /name the type/ },
  ...['Type.Record(Type.String(), Count)', "({ type: 'object', patternProperties: {} })"].map(text => ({
    rule: boundaries.keysByPattern,
    title: text,
    files: { 'packages/contract/src/a.ts': text },
    advice: /take `recordOf`/,
  })),
  {
    rule: boundaries.keysByPattern,
    title: 'a Record of TypeScript',
    files: { 'packages/contract/src/a.ts': 'type A = Record<string, number>; recordOf(Count);' },
  },
];
