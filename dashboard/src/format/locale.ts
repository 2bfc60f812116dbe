/** Texts are English. Date order, and 12 or 24 hours, follow the browser. */

const { language } = navigator;

/** The browser's own English; for other languages British English, which puts the day before the month. */
export const locale = language.startsWith('en') ? language : 'en-GB';

const hours = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions();

export const hasHalfDays = hours.hour12 === true;

/** Midnight is 00:00 or 12 AM, never 24:00 or 0 AM. */
export const hourCycle = hasHalfDays ? 'h12' : 'h23';

/** 9:05 PM, but 09:05. */
export const hourDigits = hasHalfDays ? 'numeric' : '2-digit';
