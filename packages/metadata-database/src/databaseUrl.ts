/** Says where a database is: an SQLite file or a PostgreSQL server. */
type SqlitePlace = { kind: 'sqlite'; file: string };

export type PostgresPlace = {
  kind: 'postgres';
  url: string;
  /** The setting that holds the address. Messages about the server name it. */
  setting: string;
  /** The server lists the connections under this name. */
  applicationName: string;
  /** The most connections to open. The default is six. */
  connectionsMax?: number;
};

export type DatabasePlace = SqlitePlace | PostgresPlace;
