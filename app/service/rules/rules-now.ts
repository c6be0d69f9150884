/** The rules of this moment, and people's answers to claims: from the network, its memory and the settings. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { NameClaim } from '../../contract/settings/rule-methods.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { NetworkMemory } from '../network/network-memory.ts';
import { whoSet } from '../protection/policy-in-force.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { Claimed } from './link-claims.ts';
import { type RulesHere, rulesHere } from './rules-here.ts';

export interface RulesNow {
  under(effective: EffectiveSettings): RulesHere;
  /** Durable when it returns. */
  answer(claim: NameClaim, believe: boolean, who: string): Result<null>;
}

interface RulesNowParts {
  network: Pick<CurrentNetwork, 'stay' | 'snapshot' | 'confirmed' | 'isNetwork'>;
  memory: Pick<NetworkMemory, 'find' | 'answerTo' | 'answer'>;
  serversFor(effective: EffectiveSettings): string[];
  now(): number;
  built: number;
}

export function createRulesNow(parts: RulesNowParts): RulesNow {
  const { network, memory, serversFor, now, built } = parts;

  /** answered during a stay, by its number */
  const answered = new Set<string>();

  function stayWord({ suffix, link }: Claimed): string {
    return `${network.stay().number} ${link} ${suffix}`;
  }

  /** A VPN link is the same wherever it is up; every other link belongs to its network. */
  function place({ vpn, link }: Claimed): string {
    return vpn ? `link:${link}` : network.stay().identity.id;
  }

  return {
    under: (effective) =>
      rulesHere({
        settings: effective.settings,
        who: whoSet(effective.sources.bypass),
        here: { isNetwork: network.isNetwork, now, built },
        snapshot: network.snapshot(),
        identity: network.stay().identity,
        confirmed: network.confirmed(),
        answerTo(claim) {
          const answer = memory.answerTo(place(claim), claim.suffix);
          return answer === null ? null : { ...answer, justNow: answered.has(stayWord(claim)) };
        },
        servers: () => serversFor(effective),
      }),

    answer(claim, believe, who) {
      if (!claim.vpn && memory.find(place(claim)) === null)
        return fail(
          'unknown-network',
          "this network's gateway has not shown its hardware address yet, so it can't be told from others",
          'try again in a moment',
          claim.suffix,
        );
      try {
        memory.answer(place(claim), claim.suffix, { believe, who });
      } catch (error) {
        return fail(
          'state-unwritable',
          `can't remember it: ${sayErrno(error)}; nothing was changed`,
          'free space on the disk and check who owns the state folder',
        );
      }
      answered.add(stayWord(claim));
      return succeed(null);
    },
  };
}
