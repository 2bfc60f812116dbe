/** What guides of programs that gather logs of others have in common. */
export const group = 'Shippers and servers';
export const words = ['shipper', 'agent', 'file', 'tail', 'docker', 'kubernetes', 'syslog'];
export const test = {
  name: 'A line into a file that is read',
  language: 'sh',
  write: () => `echo 'Hello, tape' | sudo tee -a /var/log/my-app/test.log`,
} as const;
