/** Tests fields and values on one engine. */
import './fieldUses.ts';
