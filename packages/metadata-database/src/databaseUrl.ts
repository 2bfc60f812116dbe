/** The place of a database: an SQLite file or a PostgreSQL server. */
type SqlitePlace = { kind: 'sqlite'; file: string };

export type PostgresPlace = {
  kind: 'postgres';
  url: string;
  /** The setting with the address; messages about the server mention it. */
  setting: string;
  /** Under which the server lists the connections. */
  applicationName: string;
  /** How many there are at the most; six where nobody says so. */
  connectionsMax?: number;
};

export type DatabasePlace = SqlitePlace | PostgresPlace;
