/** What the package offers: budgets of requests, and the contract of the place where nodes count them together. */
export { RateBudgets, type RateVerdict } from './rateBudgets.ts';
export type { RateClaim, RateRequest, RateWindows } from './rateWindows.ts';
