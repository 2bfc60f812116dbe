/** The contract of what all nodes know together of how many requests a token has sent in its window. */

/** The requests of a token that its window holds by now, and those among them that the caller may let in. */
export type RateClaim = { startedAt: number; requests: number; granted: number };

export type RateRequest = {
  tokenId: string;
  wanted: number;
  /** More than these are not granted in one window. */
  requestsMax: number;
  windowMs: number;
};

export interface RateWindows {
  /**
   * Counts as many requests as are wanted and left, and says how many these are. The token's window begins with its first
   * claim, and anew when it has ended by `now`, or would begin only later than a whole window from it.
   */
  claim(request: RateRequest, now: number): Promise<RateClaim>;
  /** Takes back what was claimed and not used. Does nothing once the window is another one. */
  giveBack(claimed: { tokenId: string; startedAt: number; requests: number }): Promise<void>;
  removeEnded(startedBefore: number): Promise<void>;
}
