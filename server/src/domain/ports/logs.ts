/** The log store as the domain sees it: the half that takes entries in. What each call promises stands in the package. */
export type {
  KeyRecord,
  LogBatch,
  LogIntake,
  LogTarget,
} from '@tapedeck/log-store';
