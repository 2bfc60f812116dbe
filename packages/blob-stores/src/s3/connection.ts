/** One HTTP exchange with an S3 endpoint: signed, with timeouts, and without retries. */
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
  /** Names of the fields above in messages to operators. The default is the field names. */
  settingNames?: S3SettingNames;
};

export type S3SettingNames = Record<
  'bucket' | 'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey' | 'forcePathStyle',
  string
>;

/** Timeouts, attempts and concurrency limits for S3. Only tests replace `s3Timeouts`. */
export type S3Timeouts = {
  callsMax: number;
  readsMax: number;
  waitMsMax: number;
  attemptsMax: number;
  backoffMs: number;
  connectMsMax: number;
  idleMsMax: number;
  callMsMax: number;
  /** The store copies larger objects in parts. */
  copyBytesMax: number;
};

export const s3Timeouts: S3Timeouts = {
  callsMax: 128, // one project gets at most half, about as many uploads as make sense at once
  readsMax: 1024, // each slow reader holds one; one project gets at most half
  waitMsMax: 10_000, // for a free slot
  attemptsMax: 4, // survives about 3 s of trouble
  backoffMs: 100, // doubled each time, with full jitter
  connectMsMax: 3_000, // a SYN lost twice
  idleMsMax: 10_000, // without a byte in either direction
  callMsMax: 25_000, // all attempts of a call; below the 30 s after which clients give up
  copyBytesMax: 512 * 1024 * 1024, // S3 copies up to 5 GiB in one call, but not within one call's time limit
};

type S3Payload = { sizeBytes: number; sha256: string; open: () => Promise<Readable> };

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** '' means the bucket itself. */
  key: string;
  query?: Record<string, string>;
  /** Lower-case names. */
  headers?: Record<string, string>;
  payload?: S3Payload;
  /** For checks of the current state, which an answer after retries would not show. */
  isAskedOnce?: true;
};

export type S3Response = {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Readable;
  /** Turns the idle timeout off from here on, for bodies that wait for their reader rather than for S3. */
  allowSilence: () => void;
};

/** Resolves with the head of any answer. Rejects if none comes in time. The caller must read or destroy the body. */
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
      response.once('error', () => {}); // the body's reader gets the error too
      const allowSilence = () => void request.setTimeout(0);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response, allowSilence });
      // An answer before the end of the request is a refusal. Sending the rest would only keep both sides busy.
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
    const timer = setTimeout(() => giveUp(`accepted no connection within ${connectMsMax} ms`), connectMsMax);
    const stop = () => clearTimeout(timer);
    socket.once('connect', stop).once('close', stop);
  });
}
