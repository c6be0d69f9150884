/** A mechanism for tests: the system is two variables. It holds what it was told until another program changes it. */
import { type Failure, type Result, succeed } from '../../contract/errors.ts';
import type { SystemDnsMechanism } from '../../contract/system/system-dns.ts';
import { Listeners } from '../base/listeners.ts';
import type { Holding, LinkRef, Mechanism } from './mechanism.ts';

export interface FakeMechanism extends Mechanism {
  held: Holding[];
  usable: boolean;
  /** the failure of everything that changes something; null: it succeeds */
  refuses: Failure | null;
  /** every change, in words */
  changes: string[];
  /** Another program tells the system otherwise, and the system reports it. */
  overwrite(): void;
  /** The system reports a change, although our settings did not change. */
  disturb(): void;
  /** how many listeners it has */
  followers: number;
}

export function fakeMechanism(name: SystemDnsMechanism = 'resolved'): FakeMechanism {
  const disturbed = new Listeners<null>();
  const perLink = name === 'resolved';
  const isOf = (link: LinkRef | null) => (one: Holding) => one.link?.name === link?.name;

  function change(words: string, work: () => void): Result<null> {
    if (fake.refuses !== null) return { ok: false, failure: fake.refuses };
    fake.changes.push(words);
    work();
    return succeed(null);
  }

  const fake: FakeMechanism = {
    name,
    perLink,
    anyPort: name === 'resolved',
    held: [],
    usable: true,
    refuses: null,
    changes: [],
    followers: 0,
    look: async () => ({ usable: fake.usable, why: `${name} is a fake.` }),
    holdings: async () => succeed(fake.held),
    take: async ({ link, search }, servers) =>
      change(`take ${link?.name ?? name}`, () => {
        const before = fake.held.find(isOf(link))?.before ?? {
          servers: ['192.0.2.1:53'],
          domains: [],
        };
        const told = { servers: [...servers], search: search === null ? null : [...search] };
        const held = { link, ...told, since: 1, inPlace: true, before };
        fake.held = [...fake.held.filter((one) => !isOf(link)(one)), held];
      }),
    giveBack: async (link) =>
      change(`give back ${link?.name ?? name}`, () => {
        fake.held = fake.held.filter((one) => !isOf(link)(one));
      }),
    flush: async () => change('flush', () => {}),
    follow(listener) {
      fake.followers += 1;
      const end = disturbed.add(listener);
      return () => {
        fake.followers -= 1;
        end();
      };
    },
    overwrite() {
      fake.held = fake.held.map((one) => ({ ...one, inPlace: false }));
      fake.disturb();
    },
    disturb: () => disturbed.tell(null),
  };
  return fake;
}
