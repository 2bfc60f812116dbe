/** The blob store on disk, and what only a file system can do to it. */
import { openStagingIn, testConformance } from './conformance.ts';
import { openDiskBlobs } from './disk.ts';

testConformance({
  title: 'Disk',
  open: async directory => ({
    store: await openDiskBlobs({ directory, now: Date.now }),
    staging: await openStagingIn(directory),
  }),
});
