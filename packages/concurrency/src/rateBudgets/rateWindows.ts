/** Port to the count of each token's requests that all nodes share. */

/** The token's requests in its window so far, and how many of them the caller may admit. */
export type RateClaim = { startedAt: number; requests: number; granted: number };

export type RateRequest = {
  tokenId: string;
  wanted: number;
  /** The most requests granted in one window. */
  requestsMax: number;
  windowMs: number;
};

export interface RateWindows {
  /**
   * Counts the wanted requests, as far as any are left, and returns their number. A token's window begins with its first claim. A new one begins once
   * it has ended by `now`, or if it starts more than a whole window after `now`.
   */
  claim(request: RateRequest, now: number): Promise<RateClaim>;
  /** Gives back unused requests. Does nothing once another window has begun. */
  giveBack(claimed: { tokenId: string; startedAt: number; requests: number }): Promise<void>;
  removeEnded(startedBefore: number): Promise<void>;
}
