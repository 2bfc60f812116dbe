/** Options and results of an upload. */
export type UploadOptions = {
  /** Defaults to the name of the file, if it has one. */
  filename?: string;
  /** The folder. */
  path?: string;
  metadata?: Readonly<Record<string, unknown>>;
  /** True keeps the file from being deleted by retention rules. */
  retentionExempt?: boolean;
  /** A private file needs a token or a signed link. By default its folder decides. */
  visibility?: 'public' | 'private';
  /** `total` is null until the end of a stream is known. */
  onProgress?: (progress: { loaded: number; total: number | null }) => void;
  signal?: AbortSignal;
};

export type UploadedFile = { id: string; url: string; originalUrl: string };
