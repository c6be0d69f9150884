/** What follows from a contest about the system's DNS, for people and for the ledger. Pure. */
import { type Said, say } from '../../contract/sentences/sentence.ts';

export interface ContestFacts {
  /** somebody changed what we told on this network */
  contested: boolean;
  /** lately */
  live: boolean;
  /** what we told is in place */
  stands: boolean;
  /** we have stopped telling it */
  lost: boolean;
  /** what goes past us is rejected */
  closed: boolean;
  /** why it can't be; null: it could */
  unavailable: string | null;
}

/** Whether queries may leave past us, unencrypted and uncounted. It is believed to stand again only after a while. */
export function mayPass({ contested, live, stands, lost, closed }: ContestFacts): boolean {
  return contested && !closed && (lost || live || !stands);
}

/** null: nothing that a person must know */
export function sayContest(facts: ContestFacts): Said[] | null {
  if (facts.contested && facts.closed) return [say('dns-closed')];
  if (!mayPass(facts)) return null;
  const said = [say(facts.lost ? 'dns-did-not-stay' : 'dns-not-closed')];
  if (facts.unavailable === null) return said;
  return [...said, say('dns-cannot-close', { why: facts.unavailable })];
}
