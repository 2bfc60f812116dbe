/** Port to segments in the bucket that wait for import. The log store reads it. */
export type {
  NewSegment,
  NotedSegment,
  RegistryLook,
  SegmentRegistry,
  WaitingSegment,
} from '@tapedeck/log-store';
