/** Checks types of JSON values. */
export { parseInstant, parseInstantMicros } from './instants.ts';
export { cutText, isLonger, isObject, type JsonObject, listLeaves } from './values.ts';
export { describeLoneSurrogate, halfPairSentence, requireTexts } from './wellFormedTexts.ts';
