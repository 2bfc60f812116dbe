/** What is told, in words. */
export const eventNames: Readonly<Record<string, string>> = {
  'rule.fired': 'A rule fired',
  'rule.resolved': 'A rule was resolved',
  'rule.troubled': 'A rule cannot be judged',
  'rules.merged': 'Several at once',
  'file.created': 'A file came',
  'file.deleted': 'A file went',
  'session.opened': 'A server reports',
  'session.ended': 'A server no longer reports',
  'channel.test': 'A test',
};
