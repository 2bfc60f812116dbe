/** Tests expiry and deletion on one engine. */
import './removals.ts';
