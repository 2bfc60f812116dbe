/** Sends mail through the operator's SMTP server. */
export { type Mail, OutgoingMail } from './outgoingMail.ts';
export { readServer, type SmtpServer } from './servers.ts';
