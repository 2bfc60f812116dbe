/** Types for removing locations: the reader of a file's pieces, and the patches to write over it. */

/** Bytes to write over those at `offset`. */
export type BytePatch = { offset: number; bytes: Buffer };

/** Reads pieces of one file within a budget. Refuses the file if the budget runs out. */
export type PieceReader = {
  readonly sizeBytes: number;
  /** Returns fewer bytes only at the end of the file. */
  read(offset: number, lengthBytes: number): Promise<Buffer>;
  /** Counts decompressed bytes like bytes read. */
  count(lengthBytes: number): void;
};
