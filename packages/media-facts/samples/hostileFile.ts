/** Builds hostile files: a head, a repeated pattern and a tail, up to the largest size allowed. */

export type HostileFile = {
  readonly name: string;
  /** The MIME type it is taken for, or `refused`. */
  readonly answer: string;
  readonly head: Buffer;
  /** Without a pattern the file is its head alone. */
  readonly pattern?: Buffer;
  readonly tail?: Buffer;
};

export const refused = 'refused';
export const nothing: Buffer = Buffer.alloc(0);
export const largestFileBytes = 32 * 1024 * 1024; // what the service takes by default
/** For containers that claim the rest of the file, and still end within it. */
export const restBytes = largestFileBytes - 4096;
