/** Bytes of datasets, on one engine. */
import './conformance/datasetBytes.ts';
