/** Tests the README's example. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePipeline, formatLogql, parseLogql } from '@tapedeck/logql';

test('the example in the README', () => {
  const query = parseLogql(
    '{service_name="shop"} |= "paid" | json | amount > 100 | line_format "{{.player}}"',
  );
  assert.ok(query.kind === 'log');
  const pipeline = compilePipeline(query.stages, { aliases: new Map(), required: null });
  const text = '{"event": "paid", "player": "Ann", "amount": 250}';
  const processed = pipeline({ micros: 0, text, stream: [['service_name', 'shop']], metadata: [] });
  assert.equal(processed?.text, 'Ann');
  assert.equal(processed?.labels.get('amount'), '250');
  assert.match(formatLogql(query), /^\{service_name="shop"\} \|= "paid" \| json/);
});
