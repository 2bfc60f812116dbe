/** One HTTP exchange with an S3 endpoint: signed, timed, and without a second try. */
import http from 'node:http';
import https from 'node:https';
import { finished, type Readable } from 'node:stream';
import { encodeKey } from '@tapedeck/web/percent-encoding';
import { emptyPayloadSha256, encodeQuery, signRequest } from './signature.ts';

export type S3Config = {
  bucket: string;
  /** `https://host[:port][/prefix]`; null means AWS, in the region. */
  endpoint: string | null;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  forcePathStyle: boolean;
  /** Names of the fields above in messages to operators; by default, their own names. */
  settingNames?: S3SettingNames;
};

export type S3SettingNames = Record<
  'bucket' | 'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey' | 'forcePathStyle',
  string
>;

/** How long to wait for S3, how often to try, and what to do at once: `s3Timeouts` but in tests. */
export type S3Timeouts = {
  callsMax: number;
  readsMax: number;
  waitMsMax: number;
  attemptsMax: number;
  backoffMs: number;
  connectMsMax: number;
  idleMsMax: number;
  callMsMax: number;
  /** Larger objects are copied in parts. */
  copyBytesMax: number;
};

export const s3Timeouts: S3Timeouts = {
  callsMax: 128, // one project alone has half: as many as uploads that are sensibly under way at once
  readsMax: 1024, // slow readers hold one each, those of one project half of them
  waitMsMax: 10_000, // for one of these to become free
  attemptsMax: 4, // about 3 s of trouble are ridden out
  backoffMs: 100, // doubled each time, with full jitter
  connectMsMax: 3_000, // a SYN that is lost twice
  idleMsMax: 10_000, // without a byte either way
  callMsMax: 25_000, // all attempts of a call: below the 30 s after which clients give up
  copyBytesMax: 512 * 1024 * 1024, // S3 copies up to 5 GiB in one call, but not in the time of one
};

type S3Payload = { sizeBytes: number; sha256: string; open: () => Promise<Readable> };

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** '' is the bucket itself. */
  key: string;
  query?: Record<string, string>;
  /** Lower-case names. */
  headers?: Record<string, string>;
  payload?: S3Payload;
  /** For queries about the present: an answer after retries would be outdated. */
  isAskedOnce?: true;
};

export type S3Response = {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Readable;
  /** Allows silence from here on, for bodies that wait for their reader rather than for S3. */
  allowSilence: () => void;
};

/** Resolves with the head of whatever is answered; rejects when nothing is, in time. The body must be read or destroyed. */
export type S3Connection = {
  exchange(request: S3Request, body: Readable | undefined, signal: AbortSignal): Promise<S3Response>;
  close(): void;
};

export function openS3Connection(config: S3Config, times: S3Timeouts): S3Connection {
  const base = locateBucket(config);
  const isSecure = base.protocol === 'https:';
  const agentOptions = { keepAlive: true, maxFreeSockets: times.callsMax };
  const agent = isSecure ? new https.Agent(agentOptions) : new http.Agent(agentOptions);

  const prepare = (request: S3Request): http.RequestOptions => {
    const path = `${base.pathname}${encodeKey(request.key)}`;
    const query = encodeQuery(request.query ?? {});
    const headers = signRequest(
      {
        method: request.method,
        host: base.host,
        path,
        query: request.query ?? {},
        headers: request.headers ?? {},
        payloadSha256: request.payload?.sha256 ?? emptyPayloadSha256,
      },
      config,
      new Date(),
    );
    if (request.method === 'PUT' || request.method === 'POST')
      headers['content-length'] = String(request.payload?.sizeBytes ?? 0);
    const { hostname, port } = base;
    return {
      agent,
      hostname,
      port,
      method: request.method,
      path: query === '' ? path : `${path}?${query}`,
      headers,
    };
  };

  return {
    exchange: (request, body, signal) => {
      const { request: start } = isSecure ? https : http;
      const exchange = start({ ...prepare(request), signal });
      limitTimes(exchange, times);
      return send(exchange, body);
    },
    close: () => agent.destroy(),
  };
}

function locateBucket(config: S3Config): URL {
  const url = new URL(config.endpoint ?? `https://s3.${config.region}.amazonaws.com`);
  const prefix = url.pathname.replace(/\/+$/, '');
  if (config.forcePathStyle) url.pathname = `${prefix}/${config.bucket}/`;
  else {
    url.hostname = `${config.bucket}.${url.hostname}`;
    url.pathname = `${prefix}/`;
  }
  return url;
}

function send(request: http.ClientRequest, body: Readable | undefined): Promise<S3Response> {
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', response => {
      response.once('error', () => {}); // told to the reader of the body as well
      const allowSilence = () => void request.setTimeout(0);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response, allowSilence });
      // An answer before the end of what was sent is a refusal; the rest would only keep both sides busy.
      if (body !== undefined && !request.writableFinished) finished(response, () => request.destroy());
    });
    if (body === undefined) request.end();
    else body.once('error', error => request.destroy(error)).pipe(request);
  });
}

function limitTimes(request: http.ClientRequest, { idleMsMax, connectMsMax }: S3Timeouts): void {
  const giveUp = (what: string) => request.destroy(new Error(`S3 ${what}`));
  request.setTimeout(idleMsMax, () => giveUp(`was silent for ${idleMsMax} ms`));
  request.once('socket', socket => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => giveUp(`took no connection within ${connectMsMax} ms`), connectMsMax);
    const stop = () => clearTimeout(timer);
    socket.once('connect', stop).once('close', stop);
  });
}
