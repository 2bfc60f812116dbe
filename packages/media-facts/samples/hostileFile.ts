/** Builds hostile files from a head, a repeated pattern and a tail, up to the largest allowed size. */

export type HostileFile = {
  readonly name: string;
  /** The MIME type it is identified as, or `refused`. */
  readonly answer: string;
  readonly head: Buffer;
  /** Without a pattern, the file is only its head. */
  readonly pattern?: Buffer;
  readonly tail?: Buffer;
};

export const refused = 'refused';
export const nothing: Buffer = Buffer.alloc(0);
export const largestFileBytes = 32 * 1024 * 1024; // the service's default limit
/** For containers that claim the rest of the file but still end within it. */
export const restBytes = largestFileBytes - 4096;
