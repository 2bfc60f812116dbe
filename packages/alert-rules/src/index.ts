/** Rules over sliding windows: fed with what arrived, they say when each fires and when it resolves. */

export { WindowHeights } from './heights.ts';
export {
  emptyState,
  moveState,
  type RuleState,
  type Tally,
  type Transition,
  type ValueState,
  valuesMax,
} from './states.ts';
export { advance, type WatchedRule } from './watching.ts';
export { findBucketMs, type WindowCondition } from './windows.ts';
