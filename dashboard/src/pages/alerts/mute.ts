/** Computes until when to mute a rule. */

const hourMs = 3_600_000;
const morningHour = 8; // when people are back at work

export function inAnHour(now: number): Date {
  return new Date(now + hourMs);
}

/** Returns next Monday morning in the user's time zone. */
export function nextMonday(now: number): Date {
  const date = new Date(now);
  date.setDate(date.getDate() + (8 - (date.getDay() || 7)));
  date.setHours(morningHour, 0, 0, 0);
  return date;
}

export function isMuted(rule: { mutedUntil: string | null }, now: number): boolean {
  return rule.mutedUntil !== null && Date.parse(rule.mutedUntil) > now;
}
