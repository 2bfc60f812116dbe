/** What waits in the bucket to be found. The log store asks for it. */
export type {
  NewSegment,
  NotedSegment,
  RegistryLook,
  SegmentRegistry,
  SilentWriter,
  WaitingSegment,
} from '@tapedeck/log-store';
