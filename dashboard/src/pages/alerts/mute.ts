/** Until when a rule is to keep silent. */

const hourMs = 3_600_000;
const morningHour = 8; // when people are at work again

export function inAnHour(now: number): Date {
  return new Date(now + hourMs);
}

/** The morning of the next Monday, where the user is. */
export function nextMonday(now: number): Date {
  const date = new Date(now);
  date.setDate(date.getDate() + (8 - (date.getDay() || 7)));
  date.setHours(morningHour, 0, 0, 0);
  return date;
}

export function isMuted(rule: { mutedUntil: string | null }, now: number): boolean {
  return rule.mutedUntil !== null && Date.parse(rule.mutedUntil) > now;
}
