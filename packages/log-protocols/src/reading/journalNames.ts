/** Names that systemd's journal and syslog-ng give to the parts of an entry. Shippers keep them when they send JSON. */
export const journalNames = {
  message: ['MESSAGE'],
  /** A number of syslog, or its word. */
  level: ['PRIORITY'],
  resource: ['SYSLOG_IDENTIFIER', 'PROGRAM', '_SYSTEMD_UNIT', '_COMM'],
};
