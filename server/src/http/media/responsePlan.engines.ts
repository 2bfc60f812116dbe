/** Compares conditional and range requests with nginx. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { describeRange, frameByteRanges } from '@tapedeck/web/ranges';
import fc from 'fast-check';
import { askOnce, type Nginx, startNginx } from '../../../tests/support/nginx.ts';
import { planReading } from './responsePlan.ts';

const bytes = randomBytes(100);
const modifiedAt = Date.UTC(2024, 2, 1, 10, 20, 30);
const modified = new Date(modifiedAt).toUTCString();
const earlier = new Date(modifiedAt - 1000).toUTCString();

type Answer = { status: number; type: string; length: string; range: string; body: string };

describe('Responses compared with nginx', () => {
  let nginx: Nginx;

  before(async () => {
    nginx = await startNginx({ files: { file: bytes }, mimeType: 'image/png', modifiedAt });
  });
  after(() => nginx[Symbol.asyncDispose]());

  const request = async (
    method: string,
    headers: Record<string, string>,
  ): Promise<Answer & { etag: string }> => {
    const { status, headers: answered, body } = await askOnce(`${nginx.url}/file`, { method, headers });
    const type = answered['content-type'] ?? '';
    const length = answered['content-length'] ?? '';
    const range = answered['content-range'] ?? '';
    return { status, type, length, range, body, etag: answered.etag ?? '' };
  };

  const answerAsPlanned = (
    headers: Record<string, string>,
    etag: string,
    boundary: string,
  ): Partial<Answer> => {
    const file = { etag, lastModifiedAt: modifiedAt, sizeBytes: bytes.length, mimeType: 'image/png' };
    const plan = planReading({ method: 'GET', headers }, file, Date.now());
    if (plan.status === 200) {
      return { status: 200, type: file.mimeType, length: '100', range: '', body: bytes.toString('latin1') };
    }
    if (!('ranges' in plan)) return { status: plan.status };
    const part = ({ start, end }: { start: number; end: number }) => bytes.toString('latin1', start, end);
    const [first, ...others] = plan.ranges;
    if (others.length === 0) {
      const length = String(first.end - first.start);
      return {
        status: 206,
        type: file.mimeType,
        length,
        range: describeRange(first, 100),
        body: part(first),
      };
    }
    const frame = frameByteRanges(plan.ranges, file, boundary);
    const body =
      plan.ranges.map((range, index) => `${frame.heads[index]}${part(range)}`).join('') + frame.tail;
    return { status: 206, type: frame.contentType, length: String(frame.contentLength), range: '', body };
  };

  const position = fc.integer({ min: 0, max: 130 });
  const spec = fc.oneof(
    fc.tuple(position, fc.nat(130)).map(([start, more]) => `${start}-${start + more}`),
    position.map(start => `${start}-`),
    position.map(last => `-${last}`),
  );
  const range = fc.array(spec, { minLength: 1, maxLength: 10 }).map(specs => `bytes=${specs.join(',')}`);
  /** Covers no cases in which nginx departs from RFC 9110. Those are rows of the table. */
  const condition = fc.constantFrom<(etag: string) => Record<string, string>>(
    () => ({}),
    etag => ({ 'if-range': etag }),
    () => ({ 'if-range': '"x"' }),
    () => ({ 'if-range': modified }),
    () => ({ 'if-range': earlier }),
    etag => ({ 'if-match': `"x", ${etag}` }),
    () => ({ 'if-match': '"x"' }),
    etag => ({ 'if-none-match': `W/${etag}` }),
    () => ({ 'if-none-match': '"x"' }),
    () => ({ 'if-unmodified-since': earlier }),
    () => ({ 'if-modified-since': modified }),
  );

  it('sends the same status, headers and bytes', async () => {
    const { etag } = await request('HEAD', {});
    const property = fc.asyncProperty(range, condition, async (range, condition) => {
      const headers = { range, ...condition(etag) };
      const { etag: _, ...theirs } = await request('GET', headers);
      const ours = answerAsPlanned(headers, etag, /boundary=(\d+)/.exec(theirs.type)?.[1] ?? '');
      for (const [key, value] of Object.entries(ours)) {
        assert.equal(value, theirs[key as keyof Answer], `${key} for ${JSON.stringify(headers)}`); // a key of Answer
      }
    });
    await fc.assert(property, { numRuns: 2000 });
  });
});
