/** Bytes of datasets, on one engine. */
import './datasetBytes.ts';
