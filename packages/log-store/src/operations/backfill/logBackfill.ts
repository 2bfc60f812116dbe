/** Port to the backfill, which adds what entries of earlier versions lack. */
export interface LogBackfill {
  /** null if entries lack nothing, as far as is known. */
  readonly state: BackfillState | null;
  /** Looks for what is missing, and resolves to whether `run` can add any of it now. */
  look(signal: AbortSignal): Promise<boolean>;
  /**
   * Adds what the latest look found, newest entries first. May be interrupted at any moment, and continues from there. Two
   * runs at once, on two nodes, get in each other's way but do nothing wrong.
   */
  run(signal: AbortSignal): Promise<void>;
}

export type BackfillState = {
  /** The share of the work that is done, from 0 to 99. */
  percent: number;
  /** The number of entries without a pattern. */
  entriesWithoutPattern: number;
  /** Tells operators why the backfill does not go on. */
  obstacle: string | null;
};
