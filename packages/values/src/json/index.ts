/** What the package offers: questions about values that JSON holds. */
export { parseInstant, parseInstantMicros } from './instants.ts';
export { isObject, type JsonObject } from './objects.ts';
export { cutText, isLonger } from './textLengths.ts';
export { complainOfHalfPair, halfPairSentence, requireTexts } from './wellFormedTexts.ts';
