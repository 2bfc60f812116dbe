/** An unexpected answer of S3, with S3's explanation. */
import type { S3Request, S3Response } from './connection.ts';

export class S3Refusal extends Error {
  readonly status: number;
  /** S3's error code, such as `NoSuchBucket`. Empty if S3 sent none. */
  readonly code: string;
  /** The bucket's region, if S3 reports it. */
  readonly region: string | null;

  constructor(request: S3Request, response: Pick<S3Response, 'status' | 'headers'>, text: string) {
    const code = readElement(text, 'Code') ?? '';
    // For the log: the request and S3's answer, without credentials.
    super(`S3 answered ${response.status} ${code} to ${request.method} ${JSON.stringify(request.key)}`);
    this.name = 'S3Refusal';
    this.status = response.status;
    this.code = code;
    const region = response.headers['x-amz-bucket-region'];
    this.region = readElement(text, 'Region') ?? (typeof region === 'string' ? region : null);
  }
}

/** Finds S3's answer among the causes of an error, or else the first cause. */
export function findCause(error: unknown): unknown {
  let found = error;
  while (found instanceof Error && !(found instanceof S3Refusal) && found.cause !== undefined)
    found = found.cause;
  return found;
}

function readElement(text: string, name: string): string | null {
  return new RegExp(`<${name}>([^<]{1,100})</${name}>`).exec(text)?.[1] ?? null;
}
