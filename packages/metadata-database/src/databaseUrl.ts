/** The place of a database: an SQLite file or a PostgreSQL server. */
type SqlitePlace = { kind: 'sqlite'; file: string };

export type PostgresPlace = {
  kind: 'postgres';
  url: string;
  /** Where its owner wrote the address: sentences about the server send them there. */
  setting: string;
  /** Under which the server lists the connections. */
  applicationName: string;
  /** How many there are at the most; six where nobody says so. */
  connectionsMax?: number;
};

export type DatabasePlace = SqlitePlace | PostgresPlace;
