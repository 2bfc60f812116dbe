/** Signs S3 requests in headers, with AWS Signature Version 4. Pure: the caller gives the request and the time. */
import { createHash, createHmac } from 'node:crypto';
import { encodeUnreserved } from '@tapedeck/web/percent-encoding';

type SigningKeys = { accessKeyId: string; secretAccessKey: string; region: string };

type SignableRequest = {
  method: string;
  host: string;
  /** Percent-encoded, as sent. */
  path: string;
  query: Readonly<Record<string, string>>;
  /** Lower-case names. The signature covers all of them. */
  headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, hexadecimal. */
  payloadSha256: string;
};

export const emptyPayloadSha256 = createHash('sha256').digest('hex');

/** Returns all headers that the request needs beyond its own. */
export function signRequest(request: SignableRequest, keys: SigningKeys, now: Date): Record<string, string> {
  const timestamp = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    'x-amz-content-sha256': request.payloadSha256,
    'x-amz-date': timestamp,
  };
  const names = Object.keys(headers).sort();
  const canonicalRequest = [
    request.method,
    request.path,
    encodeQuery(request.query),
    ...names.map(name => `${name}:${headers[name]?.trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    request.payloadSha256,
  ].join('\n');
  const scope = `${timestamp.slice(0, 8)}/${keys.region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', timestamp, scope, sha256(canonicalRequest)].join('\n');
  const signature = hmac(signingKey(keys, timestamp.slice(0, 8)), toSign).toString('hex');
  const credential = `${keys.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** Encodes the query in the order and form in which it is signed and sent. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodeUnreserved(name)}=${encodeUnreserved(value)}`)
    .sort()
    .join('&');
}

function signingKey(keys: SigningKeys, day: string): Buffer {
  return [day, keys.region, 's3', 'aws4_request'].reduce<Buffer>(
    (key, part) => hmac(key, part),
    Buffer.from(`AWS4${keys.secretAccessKey}`),
  );
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
