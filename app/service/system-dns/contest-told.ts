/** The consequences of a contest about the system's DNS, for people and for the ledger. Pure. */
import { type Said, say } from '../../contract/sentences/sentence.ts';

export interface ContestFacts {
  /** another program changed our settings on this network */
  contested: boolean;
  /** the last change was a short time ago */
  live: boolean;
  /** our settings are in place */
  stands: boolean;
  /** we have stopped setting them again */
  lost: boolean;
  /** port 53 past us is rejected */
  closed: boolean;
  /** why it can't be rejected; null: it could */
  unavailable: string | null;
}

/** Whether queries may leave past us, unencrypted and uncounted. Our settings count as safe again only after a while. */
export function mayPass({ contested, live, stands, lost, closed }: ContestFacts): boolean {
  return contested && !closed && (lost || live || !stands);
}

/** null: there is nothing that a person must know */
export function sayContest(facts: ContestFacts): Said[] | null {
  if (facts.contested && facts.closed) return [say('dns-closed')];
  if (!mayPass(facts)) return null;
  const said = [say(facts.lost ? 'dns-did-not-stay' : 'dns-not-closed')];
  if (facts.unavailable === null) return said;
  return [...said, say('dns-cannot-close', { why: facts.unavailable })];
}
