/** Port to game servers, which are asked at the address that they reported. */

type GameServerRequest = {
  url: string;
  /** That of the server's session, by which it knows who asks. */
  token: string;
  /** null: it is only asked. */
  fields: Readonly<Record<string, string>> | null;
};

export type GameServerAnswer =
  | { isAnswered: true; status: number; body: string }
  /** The sentence says why there is no answer. */
  | { isAnswered: false; sentence: string };

export interface GameServers {
  /** Never rejects. Private addresses are asked only where the operator allows that. */
  ask(request: GameServerRequest): Promise<GameServerAnswer>;
}
