/** The blob store on a real S3 engine: OpenStack Swift. */
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { startSwift } from '../../../../scripts/engines/swift.ts';
import { openStagingIn, testConformance } from './conformance.ts';
import { S3Client } from './s3/client.ts';
import { openS3Blobs } from './s3.ts';

const engine = await startSwift();
after(() => engine[Symbol.asyncDispose]());

testConformance({
  title: 'S3',
  open: async directory => {
    const config = { ...engine, bucket: `b-${randomBytes(6).toString('hex')}`, forcePathStyle: true };
    const client = new S3Client(config);
    await client.call({ method: 'PUT', key: '' });
    client.close();
    return { store: openS3Blobs(config), staging: await openStagingIn(directory) };
  },
});
