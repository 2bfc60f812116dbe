/** Tests the meaning of queries, one rule of the language at a time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseQuery } from './parser.ts';
import { allOf, anyOf, everything, type FieldValue, negate, nothing, type Query } from './tree.ts';

const text = (content: string): Query => ({ kind: 'text', text: content });
const textParts = (...parts: string[]): Query => ({ kind: 'textParts', parts });
const level = (...levels: ('debug' | 'info' | 'warn' | 'error')[]): Query => ({ kind: 'level', levels });
const holds = (...parts: string[]) => ({ kind: 'holds', parts }) as const;
const body = (...values: Extract<Query, { kind: 'body' }>['values']): Query => ({ kind: 'body', values });
const equals = (content: string): FieldValue => ({ kind: 'equals', text: content });
const parts = (...of: string[]): FieldValue => ({ kind: 'parts', parts: of });
const present = { kind: 'present' } as const;
const empty = { kind: 'empty' } as const;
const at = (path: string, ...values: FieldValue[]): Query => ({
  kind: 'field',
  field: { kind: 'metadata', path },
  values,
});
const own = (
  kind: 'resource' | 'traceId' | 'parentId' | 'dataset' | 'pattern',
  value: FieldValue,
): Query => ({
  kind: 'field',
  field: { kind },
  values: [value],
});
const compare = (path: string, operator: '>' | '>=' | '<' | '<=', number: number): Query => ({
  kind: 'compare',
  field: { kind: 'metadata', path },
  operator,
  number,
});
const [a, b, c, d] = [text('a'), text('b'), text('c'), text('d')];

const meanings: Readonly<Record<string, readonly [string, Query | null][]>> = {
  'a query of blanks is absent': [
    ['', null],
    [' \t\n\u3000', null],
  ],
  'and binds before or, and stands unwritten between terms': [
    ['a', a],
    [' a ', a],
    ['a b', allOf([a, b])],
    ['a AND b', allOf([a, b])],
    ['a\nb\tc', allOf([a, b, c])],
    ['a OR b', anyOf([a, b])],
    ['a b OR c AND d', anyOf([allOf([a, b]), allOf([c, d])])],
    ['a (b OR c) d', allOf([a, anyOf([b, c]), d])],
    ['(a)(b)', allOf([a, b])],
    ['a(b)', allOf([a, b])],
  ],
  'nested and, nested or and brackets around nothing else go': [
    ['(a)', a],
    ['((a b) AND (c d))', allOf([a, b, c, d])],
    ['(a OR (b OR c)) OR d', anyOf([a, b, c, d])],
    [`${'('.repeat(16)}a${')'.repeat(16)}`, a],
  ],
  'operators are words in capitals alone': [
    ['a and b', allOf([a, text('and'), b])],
    ['or', text('or')],
    ['Not a', allOf([text('Not'), a])],
    ['ORDER ANDROID NOTE', allOf([text('ORDER'), text('ANDROID'), text('NOTE')])],
    ['"AND" "OR" "NOT"', allOf([text('AND'), text('OR'), text('NOT')])],
    ['a AND(b)', allOf([a, b])],
    ['NOT(a)', negate(a)],
    ['AND:a', at('AND', equals('a'))],
  ],
  'a minus right before an atom, or NOT, negates it': [
    ['-a', negate(a)],
    ['NOT a', negate(a)],
    ['a -b', allOf([a, negate(b)])],
    ['a AND -b', allOf([a, negate(b)])],
    ['a OR NOT b', anyOf([a, negate(b)])],
    ['-(a b)', negate(allOf([a, b]))],
    ['-"a b"', negate(text('a b'))],
    ['-x:a', negate(at('x', equals('a')))],
    ['-x:(a,b)', negate(at('x', equals('a'), equals('b')))],
    ['-ms:>100', negate(compare('ms', '>', 100))],
    ['(-a)', negate(a)],
    ['-(-a)', a],
    ['NOT (NOT a)', a],
    ['NOT (-(a b))', allOf([a, b])],
  ],
  'a minus elsewhere is text': [
    ['speed-hack', text('speed-hack')],
    ['a-', text('a-')],
    ['-', text('-')],
    ['a - b', allOf([a, text('-'), b])],
    ['(-)', text('-')],
    ['--a', negate(text('-a'))],
    ['---a', negate(text('--a'))],
    ['--', negate(text('-'))],
    ['--x:a', negate(at('-x', equals('a')))],
    ['x:-5', at('x', equals('-5'))],
    ['x:(-a,-b)', at('x', equals('-a'), equals('-b'))],
    ['"-a"', text('-a')],
  ],
  'words end at blanks and brackets, and at commas in a list alone': [
    ['a,b', text('a,b')],
    ['x:a,b', at('x', equals('a,b'))],
    ['x:(a,b)', at('x', equals('a'), equals('b'))],
    ['x:a(b)', allOf([at('x', equals('a')), b])],
    ['ein\u00a0wort', allOf([text('ein'), text('wort')])],
    ["it's [50%] {x}", allOf([text("it's"), text('[50%]'), text('{x}')])],
  ],
  'quotes hold blanks, signs, and a star that is a star': [
    ['"a b"', text('a b')],
    ['"a*b"', text('a*b')],
    ['"a:b" "(c)"', allOf([text('a:b'), text('(c)')])],
    ['x:"a*"', at('x', equals('a*'))],
    ['x:"*"', at('x', equals('*'))],
    ['body:"*"', body(holds('*'))],
    ['body:"a b"', body(holds('a b'))],
    ['"a""b"', allOf([a, b])],
    ['"a"b', allOf([a, b])],
    ['"a\nb"', text('a\nb')],
  ],
  'in quotes \\" and \\\\ are escapes, and others are kept': [
    ['"a\\"b"', text('a"b')],
    ['"a\\\\"', text('a\\')],
    ['"\\n\\*\\\\n"', text('\\n\\*\\n')],
    ['x:"\\""', at('x', equals('"'))],
  ],
  'quotes inside of a word and backslashes outside of quotes are text': [
    ['a"b', text('a"b')],
    ['a"b c"', allOf([text('a"b'), text('c"')])],
    ['C:\\Temp', at('C', equals('\\Temp'))],
    ['a\\"b', text('a\\"b')],
    ['x:a"b"', at('x', equals('a"b"'))],
  ],
  'a star in bare text stands between parts': [
    ['a*b', textParts('a', 'b')],
    ['*a**b*', textParts('a', 'b')],
    ['a*', textParts('a')],
    ['*', everything],
    ['***', everything],
    ['""', everything],
    ['-*', nothing],
    ['a *', allOf([a, everything])],
  ],
  'every other name is a path of the metadata': [
    ['player.id:43', at('player.id', equals('43'))],
    ['player.id=43', at('player.id', equals('43'))],
    ['metadata.player.id:43', at('player.id', equals('43'))],
    ['metadata.level:x', at('level', equals('x'))],
    ['metadata.msg:x', at('msg', equals('x'))],
    ['metadata.metadata.x:y', at('metadata.x', equals('y'))],
    ['metadata:x', at('metadata', equals('x'))],
    ['Level:x', at('Level', equals('x'))],
    ['timestamp:x', at('timestamp', equals('x'))],
    ['"":x', at('', equals('x'))],
    ['metadata.:x', at('', equals('x'))],
    ['größe:x', at('größe', equals('x'))],
  ],
  'a name may be quoted, which changes nothing': [
    ['"level":warn', level('warn')],
    ['"metadata.level":x', at('level', equals('x'))],
    ['"a b":x', at('a b', equals('x'))],
    ['"a:b"=x', at('a:b', equals('x'))],
    ['"a*":x', at('a*', equals('x'))],
    ['"ms":>5', compare('ms', '>', 5)],
  ],
  'fields of the entry itself': [
    ['resource:shop', own('resource', equals('shop'))],
    ['traceId:ABC', own('traceId', equals('ABC'))],
    ['parentId:abc', own('parentId', equals('abc'))],
    ['dataset:chat*', own('dataset', parts('chat', ''))],
    ['pattern:0123456789abcdef', own('pattern', equals('0123456789abcdef'))],
    ['body:Ab message:Ab msg:Ab', allOf([body(holds('Ab')), body(holds('Ab')), body(holds('Ab'))])],
  ],
  'level ignores case and takes synonyms': [
    ['level:WARN', level('warn')],
    ['level:Warning', level('warn')],
    ['level:(fatal,err,ERROR)', level('error')],
    ['level:(error,trace)', level('debug', 'error')],
    ['level:notice', level('info')],
    ['level:crit', level('error')],
    ['level:*', level('debug', 'info', 'warn', 'error')],
    ['level:W*', level('warn')],
    ['level:*r*', level('warn', 'error')],
    ['level:x*', nothing],
    ['-level:x*', everything],
  ],
  'a value with a star matches by parts': [
    ['x:An*', at('x', parts('An', ''))],
    ['x:*na', at('x', parts('', 'na'))],
    ['x:a**b*c', at('x', parts('a', 'b', 'c'))],
    ['x:(An*,b)', at('x', parts('An', ''), equals('b'))],
    ['x:*', at('x', present)],
    ['x:**', at('x', present)],
    ['x:""', at('x', equals(''))],
    ['x:("",*)', at('x', equals(''), present)],
  ],
  'a star in body stands between parts that occur anywhere': [
    ['body:a*b', body(holds('a', 'b'))],
    ['body:a*', body(holds('a'))],
    ['body:(a,b*c)', body(holds('a'), holds('b', 'c'))],
    ['body:*', body(present)],
    ['body:""', body(empty)],
  ],
  'a list is one of its values': [
    ['x:(a OR b)', at('x', equals('a'), equals('b'))],
    ['x:( a ,b OR "c d" )', at('x', equals('a'), equals('b'), equals('c d'))],
    ['x:(a)', at('x', equals('a'))],
    ['x=(a,b)', at('x', equals('a'), equals('b'))],
    ['x:(AND,NOT,or)', at('x', equals('AND'), equals('NOT'), equals('or'))],
    ['x:("OR",",")', at('x', equals('OR'), equals(','))],
    ['x:(a<b,c=d)', at('x', equals('a<b'), equals('c=d'))],
    ['word:OR', at('word', equals('OR'))],
    ['x:NOT a', allOf([at('x', equals('NOT')), a])],
  ],
  'the first sign ends the name, and the rest of the word is the value': [
    ['url:http://x/?a=b', at('url', equals('http://x/?a=b'))],
    ['url=http://x/?a=b', at('url', equals('http://x/?a=b'))],
    ['time=12:30', at('time', equals('12:30'))],
    ['time:12:30', at('time', equals('12:30'))],
    ['path:C:\\temp', at('path', equals('C:\\temp'))],
    ['path:C:\\t*', at('path', parts('C:\\t', ''))],
    ['x:a::b:', at('x', equals('a::b:'))],
    ['x:(a:1,b:2 OR c=3)', at('x', equals('a:1'), equals('b:2'), equals('c=3'))],
    ['-x:a:b c', allOf([negate(at('x', equals('a:b'))), c])],
    ['http://x', at('http', equals('//x'))],
    ['12:30', at('12', equals('30'))],
    ['body:http://x', body(holds('http://x'))],
    ['body:a:*b', body(holds('a:', 'b'))],
    ['resource:a:b', own('resource', equals('a:b'))],
    ['"level":err', level('error')],
    ['"a":b:c', at('a', equals('b:c'))],
  ],
  'signs inside of a value are text': [
    ['x:a=b', at('x', equals('a=b'))],
    ['x=a=b', at('x', equals('a=b'))],
    ['x:a<b>c', at('x', equals('a<b>c'))],
    ['a!:b', at('a!', equals('b'))],
    ['"a!"=b', at('a!', equals('b'))],
  ],
  'comparisons take a number as JSON writes it': [
    ['ms>5', compare('ms', '>', 5)],
    ['ms:>5', compare('ms', '>', 5)],
    ['ms>=5', compare('ms', '>=', 5)],
    ['ms:<=5', compare('ms', '<=', 5)],
    ['ms<-0.5', compare('ms', '<', -0.5)],
    ['ms:>1e3', compare('ms', '>', 1000)],
    ['ms:>1E+3', compare('ms', '>', 1000)],
    ['ms:<1e999', compare('ms', '<', Number.POSITIVE_INFINITY)],
    ['ms:>=-0', compare('ms', '>=', -0)],
    ['(ms>5)', compare('ms', '>', 5)],
    ['level:>5', { kind: 'compare', field: { kind: 'level' }, operator: '>', number: 5 }],
    ['msg>5', { kind: 'compare', field: { kind: 'body' }, operator: '>', number: 5 }],
    ['resource<=5', { kind: 'compare', field: { kind: 'resource' }, operator: '<=', number: 5 }],
  ],
  'limits are reached': [
    ['a '.repeat(64), allOf(Array.from({ length: 64 }, () => a))],
    [`x:(${'a,'.repeat(70)}a)`, at('x', ...Array.from({ length: 71 }, () => equals('a')))],
    ['a'.repeat(2048), text('a'.repeat(2048))],
    ['ü'.repeat(1024), text('ü'.repeat(1024))],
  ],
};

describe('a text means', () => {
  for (const [title, rows] of Object.entries(meanings)) {
    test(title, () => {
      for (const [written, tree] of rows) assert.deepStrictEqual(parseQuery(written), tree, written);
    });
  }
});
