/** Ports for removing locations: the reader of a file's pieces, and the patches to write over it. */

/** Bytes to be written over those from `offset` on. */
export type BytePatch = { offset: number; bytes: Buffer };

/** Reads pieces of one file within a budget, and refuses the file when it is used up. */
export type PieceReader = {
  readonly sizeBytes: number;
  /** Fewer bytes only where the file ends. */
  read(offset: number, lengthBytes: number): Promise<Buffer>;
};
