/** Sends mail through the operator's SMTP server. */
export { type Mail, type MailAnswer, OutgoingMail } from './outgoingMail.ts';
export { readServer, type SmtpServer } from './servers.ts';
