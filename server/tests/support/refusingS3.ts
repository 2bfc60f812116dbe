/** An S3 that refuses as real ones do, for tests of what the service says about that. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = {
  status: number;
  code?: string;
  more?: string;
  headers?: Record<string, string>;
  body?: string;
  /** The methods that it refuses; absent: all. */
  concerns?: string[];
};

/** Starts an S3 that refuses in the words of real ones; with null it serves a bucket that keeps nothing but the service's mark. */
export async function startS3(answer: Answer | null) {
  const seen: (string | undefined)[] = [];
  const s3 = { answer, mark: '' };
  const server = http.createServer((request, response) => {
    const { method, url } = request;
    seen.push(method);
    const isMark = url === '/clips/.installation';
    const found = composeAnswer(request, s3.answer);
    const {
      status,
      headers = {},
      text,
    } = isMark && method === 'GET' && s3.mark !== '' ? { status: 200, text: s3.mark } : found;
    if (isMark && method === 'PUT' && status === 200) request.on('data', chunk => (s3.mark += chunk));
    request.resume().once('end', () => {
      response.writeHead(status, headers).end(method === 'HEAD' ? undefined : text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    endpoint: `http://127.0.0.1:${port}`,
    seen,
    refuse: (given: Answer | null) => {
      s3.answer = given;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function composeAnswer({ method, url = '' }: http.IncomingMessage, answer: Answer | null) {
  if (answer !== null && (answer.concerns ?? [method]).includes(method ?? '')) {
    const { status, code = '', more = '', headers, body } = answer;
    return { status, headers, text: body ?? spellError(code, more) };
  }
  const isObject = /^\/clips\/[^?]/.test(url);
  if (!(isObject && ['GET', 'HEAD'].includes(method ?? '')))
    return { status: 200, text: '<ListBucketResult></ListBucketResult>' };
  return { status: 404, text: spellError('NoSuchKey', '') };
}

function spellError(code: string, more: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`;
}

export const settingsOf = (endpoint: string) => ({
  TAPEDECK_S3_BUCKET: 'clips',
  TAPEDECK_S3_ENDPOINT: endpoint,
  TAPEDECK_S3_ACCESS_KEY_ID: 'AKIA7',
  TAPEDECK_S3_SECRET_ACCESS_KEY: 'hush-hush-hush',
  TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
});
