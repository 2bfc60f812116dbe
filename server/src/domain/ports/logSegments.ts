/** Port to segments in the bucket that wait for import. The log store reads it. */
export type {
  NewSegment,
  NotedSegment,
  RegistryLook,
  SegmentRegistry,
  SilentWriter,
  WaitingSegment,
} from '@tapedeck/log-store';
