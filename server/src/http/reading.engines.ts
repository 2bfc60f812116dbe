/** Conditions and ranges against nginx itself: whatever is asked, both answer the same. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { describeRange, frameByteRanges } from './ranges.ts';
import { planReading } from './reading.ts';

const bytes = randomBytes(100);
const modifiedAt = Date.UTC(2024, 2, 1, 10, 20, 30);
const modified = new Date(modifiedAt).toUTCString();
const earlier = new Date(modifiedAt - 1000).toUTCString();

type Answer = { status: number; type: string; length: string; range: string; body: string };

describe('Reading, beside nginx', () => {
  let directory = '';
  let nginx: ChildProcess;
  let url = '';

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'nginx-'));
    await writeFile(path.join(directory, 'file'), bytes);
    await utimes(path.join(directory, 'file'), modifiedAt / 1000, modifiedAt / 1000);
    const port = await findPort();
    await writeFile(path.join(directory, 'nginx.conf'), nginxConfig(directory, port));
    nginx = spawn('nginx', ['-c', path.join(directory, 'nginx.conf')], { stdio: 'ignore' });
    url = `http://127.0.0.1:${port}/file`;
    while (!(await ask('GET', {}).catch(() => undefined))) await wait(20); // ends with the runner's time limit
  });
  after(async () => {
    const gone = once(nginx, 'exit');
    nginx.kill();
    await gone;
    await rm(directory, { recursive: true });
  });

  const ask = async (method: string, headers: Record<string, string>): Promise<Answer & { etag: string }> => {
    const [response] = await once(http.request(url, { method, headers, agent: false }).end(), 'response');
    const chunks = [];
    for await (const chunk of response) chunks.push(chunk);
    const {
      'content-type': type = '',
      'content-length': length = '',
      'content-range': range = '',
      etag,
    } = response.headers;
    return {
      status: response.statusCode,
      type,
      length,
      range,
      body: Buffer.concat(chunks).toString('latin1'),
      etag,
    };
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
  /** The places where nginx departs from RFC 9110 are rows of the table instead. */
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

  it('answers the same status, headers and bytes', async () => {
    const { etag } = await ask('HEAD', {});
    const property = fc.asyncProperty(range, condition, async (range, condition) => {
      const headers = { range, ...condition(etag) };
      const { etag: _, ...theirs } = await ask('GET', headers);
      const ours = answerAsPlanned(headers, etag, /boundary=(\d+)/.exec(theirs.type)?.[1] ?? '');
      for (const [key, value] of Object.entries(ours)) {
        assert.equal(value, theirs[key as keyof Answer], `${key} for ${JSON.stringify(headers)}`); // keys of an Answer
      }
    });
    await fc.assert(property, { numRuns: 2000 });
  });
});

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function nginxConfig(directory: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(kind => `${kind}_temp_path ${directory}/${kind};`)
    .join(' ');
  return `daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/error.log; events {}
http { access_log off; ${temporary} types {} default_type image/png;
server { listen 127.0.0.1:${port}; root ${directory}; keepalive_requests 100000; } }`;
}
