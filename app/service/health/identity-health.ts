/** What a person must know of the client identities that upstreams name: one is missing, can't be used, or ends soon. Pure. */
import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import type { HeldIdentity, Identities } from '../identities/identity-store.ts';

type Code = 'identity-unusable' | 'identity-ends';

/** Time to get another certificate. */
const noticeMs = 14 * 24 * 3_600_000;

/** Code to subject, the identity's name, to detail. */
export function identityHealth(
  upstreams: readonly UpstreamSetting[],
  identities: Identities,
  now: number,
): Map<Code, Map<string, Said[]>> {
  const named = Map.groupBy(upstreams, ({ identity }) => identity);
  const told = [...named].flatMap(([identity, naming]) => {
    if (identity === undefined) return [];
    const ids = naming.map(({ id }) => id).join(', ');
    const wrong = whatIsWrong(identity, ids, identities.get(identity), now);
    return wrong === null ? [] : [{ identity, ...wrong }];
  });
  const ofCode = (wanted: Code) =>
    new Map(
      told.flatMap(({ code, identity, detail }) =>
        code === wanted ? [[identity, [detail]] as [string, Said[]]] : [],
      ),
    );
  return new Map([
    ['identity-unusable', ofCode('identity-unusable')],
    ['identity-ends', ofCode('identity-ends')],
  ]);
}

function whatIsWrong(
  identity: string,
  upstreams: string,
  held: HeldIdentity | undefined,
  now: number,
): { code: Code; detail: Said } | null {
  const about = { identity, upstreams };
  const unusable = (detail: Said) => ({ code: 'identity-unusable', detail }) as const;
  if (held === undefined) return unusable(say('identity-absent', about));
  if (held.trouble !== null)
    return unusable(say('identity-wrong', { ...about, why: held.trouble }));
  const { notAfter = Infinity } = held.certificate ?? {};
  if (notAfter < now) return unusable(say('identity-was-until', { ...about, notAfter }));
  return notAfter < now + noticeMs
    ? { code: 'identity-ends', detail: say('identity-is-until', { ...about, notAfter }) }
    : null;
}
