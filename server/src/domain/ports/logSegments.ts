/** Port to segments in the bucket that await import. The log store reads it. */
export type {
  NewSegment,
  NotedSegment,
  RegistryLook,
  SegmentRegistry,
  WaitingSegment,
} from '@tapedeck/log-store';
