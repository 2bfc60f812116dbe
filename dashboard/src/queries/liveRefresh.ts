/** Sets how often counts are updated in live mode. */

const intervalMsMin = 1_500; // plus the count itself, within two seconds
const restOfWork = 4; // the service has four times as long for other work as for these counts

type Pace = {
  /** Runs a count and records its duration. */
  time<T>(count: () => Promise<T>): Promise<T>;
  /** Returns false outside live mode. */
  interval(isFollowed: boolean): number | false;
};

/** Sets how often counts are updated: less often if the last one was slow. */
export function openPace(): Pace {
  let lastMs = 0;
  return {
    async time(count) {
      const startedAt = performance.now();
      const counted = await count();
      lastMs = performance.now() - startedAt;
      return counted;
    },
    interval: isFollowed => isFollowed && Math.max(intervalMsMin, restOfWork * lastMs),
  };
}
