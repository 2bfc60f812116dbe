/** Tests that labels keep their origin, which Grafana shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePipeline, parseLogql } from '@tapedeck/logql';

test('labels that stages make count as parsed', () => {
  const query = parseLogql('{app="shop"} | label_format a=app, b=ms, c=`x`');
  assert.ok(query.kind === 'log');
  const processed = compilePipeline(query.stages, { aliases: new Map(), required: null })({
    micros: 0,
    text: '',
    stream: [
      ['app', 'shop'],
      ['level', 'info'],
    ],
    metadata: [['ms', '250']],
  });
  assert.deepEqual(
    (['stream', 'metadata', 'parsed'] as const).map(category => processed?.labels.list(category)),
    [
      [['level', 'info']],
      [],
      [
        ['a', 'shop'],
        ['b', '250'],
        ['c', 'x'],
      ],
    ],
  );
});
