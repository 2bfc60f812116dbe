/** Port to game servers. Requests go to the address that the server reported. */

type GameServerRequest = {
  url: string;
  /** The session's token; it tells the server who is calling. */
  token: string;
  /** null: the request only reads. */
  fields: Readonly<Record<string, string>> | null;
};

export type GameServerAnswer =
  | { isAnswered: true; status: number; body: string }
  /** `sentence` says why there is no answer. */
  | { isAnswered: false; sentence: string };

export interface GameServers {
  /** Never rejects. Private addresses work only if the operator allows them. */
  ask(request: GameServerRequest): Promise<GameServerAnswer>;
}
