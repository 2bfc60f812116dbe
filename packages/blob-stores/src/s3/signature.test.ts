/** Tests signatures against the examples that AWS publishes for S3, and the pure functions around them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { parseListPage } from './listing.ts';
import { emptyPayloadSha256, signRequest } from './signature.ts';

describe('Signatures', () => {
  const keys = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const examples = [
    {
      title: 'GET Object',
      request: {
        method: 'GET',
        path: '/test.txt',
        query: {},
        headers: { range: 'bytes=0-9' },
        payloadSha256: emptyPayloadSha256,
      },
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
    {
      title: 'PUT Object',
      request: {
        method: 'PUT',
        path: '/test%24file.text',
        query: {},
        headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        payloadSha256: createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
      },
      signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    },
    {
      title: 'GET Bucket (List Objects)',
      request: {
        method: 'GET',
        path: '/',
        query: { 'max-keys': '2', prefix: 'J' },
        headers: {},
        payloadSha256: emptyPayloadSha256,
      },
      signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ];
  for (const { title, request, signature } of examples) {
    it(`${title} is signed as AWS signs it`, () => {
      const host = 'examplebucket.s3.amazonaws.com';
      const signed = signRequest({ ...request, host }, keys, new Date(Date.UTC(2013, 4, 24)));
      assert.equal(signed.authorization?.split('Signature=')[1], signature);
    });
  }
});

describe('Listings', () => {
  const page = (inner: string) => `<?xml version="1.0"?><ListBucketResult>${inner}</ListBucketResult>`;
  const contents = (key: string) =>
    `<Contents><Key>${key}</Key><LastModified>2024-01-02T03:04:05.678Z</LastModified><Size>12</Size></Contents>`;
  const rows: [title: string, xml: string, keys: string[], continuationToken: string | null][] = [
    ['an empty one', page('<IsTruncated>false</IsTruncated>'), [], null],
    [
      'percent-encoded keys',
      page(`<EncodingType>url</EncodingType>${contents('a/%C3%A9+b%2B%26')}`),
      ['a/é b+&'],
      null,
    ],
    ['keys with entities', page(contents('a&amp;b&#x26;&#38;&lt;+')), ['a&b&&<+'], null],
    [
      'several keys and another page',
      page(
        `<IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;u</NextContinuationToken>${contents('a')}${contents('b')}`,
      ),
      ['a', 'b'],
      't&u',
    ],
  ];
  for (const [title, xml, keys, continuationToken] of rows) {
    it(`${title} is read`, () => {
      const listed = parseListPage(xml);
      assert.deepEqual(
        listed.objects,
        keys.map(key => ({ key, sizeBytes: 12, modifiedAt: Date.UTC(2024, 0, 2, 3, 4, 5, 678) })),
      );
      assert.equal(listed.continuationToken, continuationToken);
    });
  }
});
