/** Rate budgets for requests, and the port to the store in which nodes count them together. */
export { RateBudgets, type RateVerdict } from './rateBudgets.ts';
export type { RateClaim, RateRequest, RateWindows } from './rateWindows.ts';
