/** Port to the backfill: what entries of earlier versions lack, and the progress of adding it. */
export interface LogBackfill {
  /** null: they lack nothing, as far as is known. */
  readonly state: BackfillState | null;
  /** Looks what is lacking, and resolves to whether anything is that can be made up for. */
  look(signal: AbortSignal): Promise<boolean>;
  /**
   * Does what the latest look found, the newest entries first. It may be ended at any moment, and goes on from there. Two at a time,
   * at two nodes, get in each other's way, but do nothing wrong.
   */
  run(signal: AbortSignal): Promise<void>;
}

export type BackfillState = {
  /** The share of the work that is done, from 0 to 99. */
  percent: number;
  /** So many entries have no pattern yet. */
  entriesWithoutPattern: number;
  /** A sentence for operators: why it does not go on. */
  obstacle: string | null;
};
