/** Who goes around Sotto: as counted by the gate, or as the holder of a connection. Pure. */
import type { CountedRow } from '../../../contract/system/gate-protocol.ts';

export interface Sender {
  /** `other`: more than could be told apart */
  kind: 'program' | 'container' | 'computer' | 'other';
  /** as a person knows it; empty: unknown */
  name: string;
  /** its account; null: it is no program of this machine */
  user: string | null;
  /** the link behind which it is; null: it is on this machine */
  interface: string | null;
}

type Program = Extract<CountedRow['by'], { account: string }>;

const others: Sender = { kind: 'other', name: '', user: null, interface: null };

/** In these groups people start programs of all kinds. */
const session = 'session';

/** `isPhysical`: the link leads to a network, so that other computers are behind it. */
export function senderOf(by: CountedRow['by'], isPhysical: (link: string) => boolean): Sender {
  if (by === null) return others;
  if ('account' in by) return programOf(by);
  const { interface: link, from } = by;
  const kind = isPhysical(link) ? 'computer' : 'container';
  return { kind, name: from ?? link, user: null, interface: link };
}

export function programOf({
  account,
  program,
  container,
}: Pick<Program, 'account' | 'program' | 'container'>): Sender {
  if (container !== '')
    return {
      kind: 'container',
      name: `${program} ${container}`,
      user: account,
      interface: null,
    };
  // The account says more where the group's name says nothing of a program.
  const name = program === '' || program === session ? account : program;
  return { kind: 'program', name, user: account, interface: null };
}

export function keyOfSender({ kind, name, user, interface: link }: Sender): string {
  return JSON.stringify([kind, name, user, link]);
}
