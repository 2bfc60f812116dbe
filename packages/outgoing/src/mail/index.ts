/** Mails by way of the SMTP server of whoever runs the service. */
export { type Mail, type MailAnswer, OutgoingMail } from './outgoingMail.ts';
export { readServer, type SmtpServer } from './servers.ts';
