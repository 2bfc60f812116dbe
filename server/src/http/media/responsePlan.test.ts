/** Conditional and range requests. Unless a row says otherwise, nginx 1.22 answers the same for this file. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeRange, frameByteRanges, makeBoundary, parseHttpDate } from '@tapedeck/web/ranges';
import { planReading } from './responsePlan.ts';

const now = Date.UTC(2026, 0, 1);
const etag = '"65e1abee-24"';
const file = { etag, lastModifiedAt: Date.UTC(2024, 2, 1, 10, 20, 30) + 999, sizeBytes: 36 };
const modified = 'Fri, 01 Mar 2024 10:20:30 GMT';
const earlier = 'Thu, 29 Feb 2024 10:20:30 GMT';
const later = 'Sat, 02 Mar 2024 10:20:30 GMT';

/** Writes the plan as the status, followed by the ranges. */
function plan(headers: Record<string, string>, method = 'GET'): string {
  const reading = planReading({ method, headers }, file, now);
  return 'ranges' in reading
    ? `206 ${reading.ranges.map(range => describeRange(range, file.sizeBytes).slice(6, -3)).join(' ')}`
    : String(reading.status);
}

describe('Ranges', () => {
  const rows: [range: string, expected: string][] = [
    ['bytes=0-3', '206 0-3'],
    ['bytes=0-', '206 0-35'],
    ['bytes=0-35', '206 0-35'],
    ['bytes=35-35', '206 35-35'],
    ['bytes=30-99', '206 30-35'],
    ['bytes=-2', '206 34-35'],
    ['bytes=-36', '206 0-35'],
    ['bytes=-100', '206 0-35'],
    ['BYTES=0-1', '206 0-1'],
    ['bytes= 0 - 1 , 3-4', '206 0-1 3-4'],
    ['bytes=0-1,5-6,-2', '206 0-1 5-6 34-35'],
    ['bytes=5-6,0-1', '206 5-6 0-1'],
    ['bytes=0-5,3-8', '206 0-5 3-8'],
    ['bytes=0-17,18-35', '206 0-17 18-35'],
    // Leaves out missing ranges. If none remains, answers 416.
    ['bytes=36-40,0-1', '206 0-1'],
    ['bytes=0-0,-0', '206 0-0'],
    ['bytes=36-', '416'],
    ['bytes=-0', '416'],
    ['bytes=36-40,-0', '416'],
    // More bytes than the file has, in pieces.
    ['bytes=0-20,10-35', '200'],
    ['bytes=-100,0-1', '200'],
    ['bytes=0-35,0-35', '200'],
    // Another unit, or none.
    ['items=0-1', '200'],
    ['bytes', '200'],
    ['bytes=', '200'],
    ['bytes = 0-1', '200'],
    // Invalid ranges are ignored (CONTRACT.md, 3.1). nginx answers 416, or the valid ranges.
    ['bytes=5-3', '200'],
    ['bytes=a-b', '200'],
    ['bytes=0-1,x', '200'],
    ['bytes=0-1,5-3', '200'],
    ['bytes=0-1;3-4', '200'],
    ['bytes=-', '200'],
    ['bytes=--1', '200'],
    ['bytes=1', '200'],
    ['bytes=1-2-3', '200'],
    // Empty list elements mean nothing (RFC 9110, 5.6.1.2), and numbers have no limit. nginx answers 416.
    ['bytes=0-1,,3-4', '206 0-1 3-4'],
    ['bytes=,0-1', '206 0-1'],
    ['bytes=0-99999999999999999999999', '206 0-35'],
    ['bytes=99999999999999999999999-', '416'],
    // At most ten ranges (CONTRACT.md, 3.1).
    [
      `bytes=${Array.from({ length: 10 }, (_, index) => `${index}-${index}`)}`,
      `206 ${Array.from({ length: 10 }, (_, index) => `${index}-${index}`).join(' ')}`,
    ],
    [`bytes=${Array.from({ length: 11 }, (_, index) => `${index}-${index}`)}`, '200'],
  ];
  for (const [range, expected] of rows) {
    it(`${range} is answered with ${expected}`, () => assert.equal(plan({ range }), expected));
  }

  it('HEAD ignores ranges, by RFC 9110, 14.2', () =>
    assert.equal(plan({ range: 'bytes=0-1' }, 'HEAD'), '200'));
});

describe('Conditions', () => {
  const rows: [headers: Record<string, string>, expected: string][] = [
    [{ 'if-none-match': etag }, '304'],
    [{ 'if-none-match': `W/${etag}` }, '304'],
    [{ 'if-none-match': '*' }, '304'],
    [{ 'if-none-match': `"x", ${etag}` }, '304'],
    [{ 'if-none-match': `"x,y",${etag}` }, '304'],
    [{ 'if-none-match': '"x"' }, '200'],
    [{ 'if-none-match': etag.slice(1, -1) }, '200'],
    [{ 'if-none-match': etag, range: 'bytes=0-1' }, '304'],
    [{ 'if-match': etag }, '200'],
    [{ 'if-match': '*' }, '200'],
    [{ 'if-match': `"x", ${etag}` }, '200'],
    [{ 'if-match': `W/${etag}` }, '412'],
    [{ 'if-match': '"x"' }, '412'],
    [{ 'if-match': etag, range: 'bytes=0-1' }, '206 0-1'],
    [{ 'if-match': '"x"', range: 'bytes=0-1' }, '412'],
    [{ 'if-modified-since': modified }, '304'],
    [{ 'if-modified-since': earlier }, '200'],
    [{ 'if-modified-since': 'nonsense' }, '200'],
    [{ 'if-unmodified-since': modified }, '200'],
    [{ 'if-unmodified-since': later }, '200'],
    [{ 'if-unmodified-since': earlier }, '412'],
    [{ 'if-none-match': '"x"', 'if-modified-since': modified }, '200'],
    [{ range: 'bytes=0-1', 'if-range': etag }, '206 0-1'],
    [{ range: 'bytes=0-1', 'if-range': `W/${etag}` }, '200'],
    [{ range: 'bytes=0-1', 'if-range': '"x"' }, '200'],
    [{ range: 'bytes=0-1', 'if-range': modified }, '206 0-1'],
    [{ range: 'bytes=0-1', 'if-range': later }, '200'],
    [{ range: 'bytes=0-1', 'if-range': 'nonsense' }, '200'],
    [{ range: 'bytes=99-', 'if-range': etag }, '416'],
    [{ range: 'bytes=99-', 'if-range': '"x"' }, '200'],
    // nginx departs from RFC 9110, 13.1 and 13.2, here.
    [{ 'if-modified-since': later }, '304'],
    [{ 'if-none-match': etag, 'if-modified-since': earlier }, '304'],
    [{ 'if-match': etag, 'if-unmodified-since': earlier }, '200'],
    [{ 'if-unmodified-since': 'nonsense' }, '200'],
  ];
  for (const [headers, expected] of rows) {
    it(`${JSON.stringify(headers)} is answered with ${expected}`, () =>
      assert.equal(plan(headers), expected));
  }

  it('apply to HEAD as well', () => {
    assert.equal(plan({ 'if-none-match': etag }, 'HEAD'), '304');
    assert.equal(plan({ 'if-match': '"x"' }, 'HEAD'), '412');
  });
});

describe('Several ranges', () => {
  it('are framed exactly like nginx frames them', () => {
    const bytes = '0123456789abcdefghijklmnopqrstuvwxyz';
    const ranges = [
      { start: 0, end: 2 },
      { start: 5, end: 7 },
      { start: 34, end: 36 },
    ];
    const frame = frameByteRanges(ranges, { mimeType: 'image/png', sizeBytes: 36 }, '00000000000000000001');
    const body =
      ranges.map(({ start, end }, index) => `${frame.heads[index]}${bytes.slice(start, end)}`).join('') +
      frame.tail;
    assert.equal(frame.contentType, 'multipart/byteranges; boundary=00000000000000000001');
    assert.equal(frame.contentLength, 282);
    assert.equal(body.length, 282);
    assert.equal(
      body,
      '\r\n--00000000000000000001\r\nContent-Type: image/png\r\nContent-Range: bytes 0-1/36\r\n\r\n01' +
        '\r\n--00000000000000000001\r\nContent-Type: image/png\r\nContent-Range: bytes 5-6/36\r\n\r\n56' +
        '\r\n--00000000000000000001\r\nContent-Type: image/png\r\nContent-Range: bytes 34-35/36\r\n\r\nyz' +
        '\r\n--00000000000000000001--\r\n',
    );
  });

  it('are separated by a new boundary of twenty digits each time', () => {
    assert.match(makeBoundary(), /^\d{20}$/);
    assert.notEqual(makeBoundary(), makeBoundary());
  });
});

describe('Dates', () => {
  const rows: [text: string, expected: string | null][] = [
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-30 08:49:37 GMT', '2030-11-06T08:49:37.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    [' Sun, 06 Nov 1994 08:49:37 GMT ', '1994-11-06T08:49:37.000Z'],
    ['Sun, 06 Nov 1994 08:49:60 GMT', '1994-11-06T08:49:59.000Z'],
    ['Sun, 06 Nov 1994 08:49:37 UTC', null],
    ['Sun, 31 Nov 1994 08:49:37 GMT', null],
    ['Sun, 06 Foo 1994 08:49:37 GMT', null],
    ['Sun, 06 Nov 1994 24:00:00 GMT', null],
    ['Sun, 06 Nov 1994 08:60:37 GMT', null],
    ['1994-11-06T08:49:37Z', null],
    ['', null],
  ];
  for (const [text, expected] of rows) {
    it(`${JSON.stringify(text)} is ${expected}`, () => {
      const date = parseHttpDate(text, now);
      assert.equal(date === null ? null : new Date(date).toISOString(), expected);
    });
  }
});
