/** The conformance suite that every blob store must pass. */
import { describe } from 'node:test';
import { type BlobAdapter, useBlobs } from './conformance/openBlobs.ts';
import { testPartials } from './conformance/partialCases.ts';
import { testListing, testNames, testPlaces, testQuarantine } from './conformance/placeCases.ts';
import { testPutting, testReading } from './conformance/readingCases.ts';
import { testStaging } from './conformance/stagingCases.ts';

export function testConformance(adapter: BlobAdapter): void {
  describe(`${adapter.title}: staging`, () => testStaging(useBlobs(adapter.open)));
  describe(`${adapter.title}: reading`, () => testReading(useBlobs(adapter.open)));
  describe(`${adapter.title}: putting`, () => testPutting(useBlobs(adapter.open)));
  describe(`${adapter.title}: occupied and missing places`, () => testPlaces(useBlobs(adapter.open)));
  describe(`${adapter.title}: names`, () => testNames(useBlobs(adapter.open)));
  describe(`${adapter.title}: listing`, () => testListing(useBlobs(adapter.open)));
  describe(`${adapter.title}: resumable uploads`, () => testPartials(useBlobs(adapter.open)));
  describe(`${adapter.title}: quarantine`, () => testQuarantine(useBlobs(adapter.open)));
}
