/** Tests that times never go backwards and identities are unique and ordered, whatever the clock does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStamper, formatTraceId, systemMicros } from './identity.ts';
import type { LogRow } from './rows.ts';

function makeRow(): LogRow {
  return {
    timestampMicros: 0,
    identityHigh: 0,
    identityLow: 0,
    level: 'info',
    message: '',
    resource: '',
    parentId: '',
  };
}

test('stamps increase by at least a microsecond, even if the clock stands still or goes back', () => {
  const times = [5_000, 5_000, 4_000, 9_000, 9_001];
  let index = 0;
  const stamper = createStamper(() => times[index++] ?? 0);
  const row = makeRow();
  const stamped = times.flatMap(() => {
    stamper.begin();
    return [0, 1].map(() => {
      stamper.stampTime(row);
      return row.timestampMicros;
    });
  });
  assert.deepEqual(stamped, [5_000, 5_001, 5_002, 5_003, 5_004, 5_005, 9_000, 9_001, 9_002, 9_003]);
});

test('stamps follow a clock that was set back by more than ten seconds', () => {
  const times = [100_000_000, 90_000_000, 89_999_999];
  let index = 0;
  const stamper = createStamper(() => times[index++] ?? 0);
  const row = makeRow();
  const stamped = times.map(() => {
    stamper.begin();
    stamper.stampTime(row);
    return row.timestampMicros;
  });
  assert.deepEqual(stamped, [100_000_000, 100_000_001, 89_999_999]);
});

test('reuses stamps that are taken back', () => {
  const stamper = createStamper(() => 5_000);
  const row = makeRow();
  const stamp = () => {
    stamper.stampTime(row);
    stamper.stampIdentity(row);
    return formatTraceId(row);
  };
  stamper.begin();
  stamp();
  stamper.begin();
  const given = [stamp(), stamp()];
  stamper.takeBack();
  stamper.begin();
  assert.deepEqual([stamp(), stamp()], given);
});

test('a million identities at one time are distinct and increasing', () => {
  const stamper = createStamper(() => 1_000_000);
  const row = { ...makeRow(), timestampMicros: 1_000_000 };
  let previous = '';
  for (let number = 0; number < 1_000_000; number++) {
    if (number % 10_000 === 0) stamper.begin();
    stamper.stampIdentity(row);
    if (number % 997 !== 0) continue;
    const traceId = formatTraceId(row);
    assert.ok(traceId > previous);
    previous = traceId;
  }
});

test('a traceId contains its time and is a UUID of version 7', () => {
  const row = {
    ...makeRow(),
    timestampMicros: 1_767_323_045_123_456,
    identityHigh: 0xbfffffff,
    identityLow: 1,
  };
  assert.equal(formatTraceId(row), '019b7ca98d0371c8bfffffff00000001');
});

test('the clock has microseconds within its millisecond', () => {
  for (let time = 0; time < 1_000; time++) {
    const before = Date.now();
    const micros = systemMicros();
    assert.ok(Number.isInteger(micros) && micros >= before * 1000 && micros < (Date.now() + 1) * 1000);
  }
});
