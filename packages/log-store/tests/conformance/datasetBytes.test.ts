/** Tests the bytes of datasets on one engine. */
import './datasetBytes.ts';
