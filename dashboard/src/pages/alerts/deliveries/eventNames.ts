/** Names of the events that channels receive. */
export const eventNames: Readonly<Record<string, string>> = {
  'rule.fired': 'Rule fired',
  'rule.resolved': 'Rule resolved',
  'rule.troubled': 'Rule can’t be evaluated',
  'rules.merged': 'Several events',
  'file.created': 'File uploaded',
  'file.deleted': 'File deleted',
  'session.opened': 'Server started reporting',
  'session.ended': 'Server stopped reporting',
  'channel.test': 'Test',
};
