/** Options and results of an upload. */
export type UploadOptions = {
  /** Defaults to the file's own name, if any. */
  filename?: string;
  /** The target folder. */
  path?: string;
  metadata?: Readonly<Record<string, unknown>>;
  /** If true, retention rules do not delete the file. */
  retentionExempt?: boolean;
  /** Readers need a token or a signed link for a private file. By default the folder decides. */
  visibility?: 'public' | 'private';
  /** `total` is null until a stream's length is known. */
  onProgress?: (progress: { loaded: number; total: number | null }) => void;
  signal?: AbortSignal;
};

export type UploadedFile = { id: string; url: string; originalUrl: string };
