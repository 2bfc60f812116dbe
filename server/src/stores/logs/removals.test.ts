/** Expiry and deletion, on one engine. */
import './conformance/removals.ts';
