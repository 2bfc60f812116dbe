/** What waits in the bucket to be found. The log store asks for it. */
export type { NewSegment, RegistryLook, SegmentRegistry, WaitingSegment } from '@tapedeck/log-store';
