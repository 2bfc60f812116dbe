/** Questions about values that JSON holds. */
export { parseInstant, parseInstantMicros } from './instants.ts';
export { cutText, isLonger, isObject, type JsonObject, listLeaves } from './values.ts';
export { complainOfHalfPair, halfPairSentence, requireTexts } from './wellFormedTexts.ts';
